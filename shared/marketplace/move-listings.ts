import { sql } from 'kysely';
import { z } from 'zod';
import type { Database } from '../../db/client.ts';
import { recordEvents } from '../journal/events.ts';
import type { Clock } from '../kit/clock.ts';
import type { Attributes } from '../listings/attributes.ts';
import { eventColumns, listingEvent, type EventListing } from '../listings/listing-event.ts';
import { indexedFacts } from '../listings/rules.ts';
import type { Jobs, Tx } from '../queues/jobs.ts';
import { startRun } from '../runs/control.ts';
import { longRun } from '../runs/long-run.ts';

type Services = { db: Database; jobs: Pick<Jobs, 'enqueue'>; clock: Clock };

const BATCH = 500;
const noCounts = { done: 0 };

/** An attribute of a template that has another key since. */
export type AttributeRename = { asset_type: string; from: string; to: string };

const moveParams = z.object({
  version: z.int(),
  moves: z.record(z.string(), z.string()),
  renames: z.array(z.object({ from: z.string(), to: z.string(), categories: z.array(z.string()) })),
  /** Versions whose moves are taken back. */
  back: z.array(z.int()),
});
type MoveParams = z.infer<typeof moveParams>;
type MovedListing = { id: string; category_id: string; attributes: Attributes; from_category: string | null };

/**
 * Starts the run that moves listings after an edit of the marketplace, when there are any to move; 409 while one is live. Answers
 * the id of the run.
 */
export async function startMoveRun(
  tx: Tx,
  jobs: Pick<Jobs, 'enqueue'>,
  params: MoveParams,
  startedBy: string,
  now: Date,
): Promise<string | null> {
  if (Object.keys(params.moves).length + params.renames.length + params.back.length === 0) return null;
  const { rows } = await sql<{ n: number }>`select count(*)::int as n from (${candidates(params, '')}) as c`.execute(
    tx,
  );
  const total = rows[0]?.n ?? 0;
  if (total === 0) return null;
  const run = { kind: 'recategorize', subject: '', trigger: 'manual', startedBy, counters: noCounts, params } as const;
  const { runId } = await startRun(tx, jobs, { ...run, total }, now);
  return runId;
}

/**
 * Works a run, 500 listings a step: each gets the category that its own has become, or that it had before a version which was
 * undone, unless somebody has given it another one since, and its renamed attributes under their new keys; with an event and its place in the index, in one transaction.
 */
export const workMove = longRun({
  kind: 'recategorize',
  cursor: z.object({ after: z.string() }).prefault({ after: '' }),
  params: moveParams,
  counters: noCounts,
  step: (services: Services, run) =>
    run.advance(async (tx, now) => {
      const { params, cursor } = run;
      const ids = sql`select id from (${candidates(params, cursor.after)}) as c order by id limit ${BATCH}`;
      const { rows } = await sql<MovedListing>`
        select l.id, l.category_id, l.attributes, (
          select case when (array_agg(m.to_category order by m.version desc))[1] = l.category_id
            then (array_agg(m.from_category order by m.version))[1] end
          from marketplace_moves m where m.listing_id = l.id and m.version = any(${params.back}::int[])) as from_category
        from listings l where l.id in (${ids}) order by l.id for update of l`.execute(tx);
      await moveBatch(tx, services, params, rows, now);
      const done = { cursor: { after: rows.at(-1)?.id ?? cursor.after }, count: { done: rows.length } };
      return rows.length < BATCH ? { ...done, end: 'succeeded' } : done;
    }),
});

/** The listings after an id that have something to be moved: each at most once. */
const candidates = ({ moves, renames, back }: MoveParams, after: string) => sql`
  select l.id from listings l where l.id > ${after} and l.category_id = any(${Object.keys(moves)}::text[])
  union select m.listing_id from marketplace_moves m where m.listing_id > ${after} and m.version = any(${back}::int[])
  ${sql.join(
    renames.map(
      ({ from, categories }) => sql`
        union select l.id from listings l
        where l.id > ${after} and l.category_id = any(${categories}::text[]) and l.attributes ? ${from}`,
    ),
    sql` `,
  )}`;

async function moveBatch(
  tx: Tx,
  { jobs }: Services,
  { version, moves, renames }: MoveParams,
  listings: readonly MovedListing[],
  now: Date,
): Promise<void> {
  const changed = listings.flatMap(({ id, category_id: category, attributes, from_category: former }) => {
    const target = former ?? moves[category] ?? category;
    const next = renameKeys(
      attributes,
      renames.filter(({ categories }) => categories.includes(category)),
    );
    if (target === category && next === attributes) return [];
    return [{ id, from: category, category_id: moves[target] ?? target, attributes: next, ...indexedFacts(next) }];
  });
  if (changed.length === 0) return;
  const moved = changed.filter(({ from, category_id: to }) => from !== to);
  await sql`
    insert into marketplace_moves (version, listing_id, from_category, to_category)
    select ${version}, m.id, m."from", m.category_id
    from jsonb_to_recordset(${JSON.stringify(moved)}::jsonb) as m (id text, "from" text, category_id text)
    on conflict do nothing`.execute(tx);
  const { rows } = await sql<EventListing>`
    update listings l set category_id = n.category_id, attributes = n.attributes, year = n.year, length_m = n.length_m,
      updated_at = ${now}, version = l.version + 1
    from jsonb_to_recordset(${JSON.stringify(changed)}::jsonb)
      as n (id text, category_id text, attributes jsonb, year int, length_m float8)
    where l.id = n.id
    returning ${sql.join(eventColumns.map((name) => sql.ref(`l.${name}`)))}`.execute(tx);
  const from = new Map(changed.map((each) => [each.id, each.from]));
  await recordEvents(
    tx,
    now,
    rows.map((row) => listingEvent('listing.updated', row, { category_id: from.get(row.id) })),
  );
  await jobs.enqueue(tx, 'index-listing', { listing_ids: rows.map(({ id }) => id) });
}

function renameKeys(attributes: Attributes, renames: readonly { from: string; to: string }[]): Attributes {
  const present = renames.filter(({ from }) => from in attributes);
  if (present.length === 0) return attributes;
  const names = new Map(present.map(({ from, to }) => [from, to]));
  return Object.fromEntries(Object.entries(attributes).map(([key, value]) => [names.get(key) ?? key, value]));
}
