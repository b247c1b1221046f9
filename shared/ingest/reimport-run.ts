import { sql } from 'kysely';
import { z } from 'zod';
import type { Jobs, Tx } from '../queues/jobs.ts';
import { startRun } from '../runs/control.ts';
import { longRun } from '../runs/long-run.ts';
import { advanceRun, type Counters } from '../runs/runs.ts';
import { diffBack } from './diff.ts';
import { countReimportable, nothingYet, reimportAfter, type KeepPlans, type ReimportServices } from './reimport.ts';

/** What a run was started with: whether it only looks, and the one site whose listings it goes through. */
const reimportParams = z.object({ dry_run: z.boolean(), site: z.string().nullable() });
export type ReimportParams = z.infer<typeof reimportParams>;

/** Counts of listings that differ in a field are counters of their own. */
export const FIELD_COUNTER = 'field:';
const noCounts = { done: 0, changed: 0, skipped: 0, failed: 0 };
/** Runs whose changes can be read, the one that begins among them. */
const RUNS_KEPT = 10;
/** Of 200 listings at a time; a run keeps 50 in all. */
const MAX_REASONS = 10;

/**
 * Starts a run that maps all scraped listings with today's rules; 409 while one is live. The changes of older runs than the last
 * ten are forgotten.
 */
export async function startReimportRun(
  tx: Tx,
  jobs: Pick<Jobs, 'enqueue'>,
  params: ReimportParams,
  startedBy: string,
  now: Date,
): Promise<{ jobId: string; runId: string }> {
  const total = await countReimportable(tx, { sellerId: undefined, site: params.site ?? undefined });
  const run = {
    kind: 'reimport',
    subject: '',
    trigger: 'manual',
    startedBy,
    counters: noCounts,
    params,
    total,
  } as const;
  const started = await startRun(tx, jobs, run, now);
  await sql`
    delete from reimport_changes where run_id not in (
      select id from runs where kind = 'reimport' order by created_at desc, id desc limit ${RUNS_KEPT})`.execute(tx);
  return started;
}

/**
 * Works a run, 200 listings a step. What differs is kept, field by field, in the transaction that writes it, and what could not
 * be mapped is told in its errors.
 */
export const workReimport = longRun({
  kind: 'reimport',
  cursor: z.object({ after: z.string() }).prefault({ after: '' }),
  params: reimportParams,
  counters: noCounts,
  async step(services: ReimportServices, run) {
    const { dry_run: isDry, site } = run.params;
    const keep: KeepPlans = async (tx, plans) => {
      await run.lock(tx);
      const count = await keepChanges(tx, run.id, plans);
      await advanceRun(tx, run.id, { count }, services.clock.now());
    };
    const outcome = nothingYet();
    const scope = { sellerId: undefined, site: site ?? undefined, isDry, keep };
    const last = await reimportAfter(services, run.cursor.after, scope, outcome);
    const { reimported, skipped, errors } = outcome;
    const reasons = [
      ...errors.map(({ id, error }) => `${id}: ${error}`),
      ...skipped.map(({ id, reason }) => `${id}: ${reason}`),
    ];
    return run.advance({
      count: {
        done: reimported + skipped.length + errors.length,
        skipped: skipped.length,
        failed: errors.length,
      },
      errors: reasons.slice(0, MAX_REASONS).map((message) => ({ message })),
      ...(last === undefined ? { end: 'succeeded' } : { cursor: { after: last } }),
    });
  },
});

/** Keeps the changes of some listings and counts them, once each: a listing that a killed try came to is known already. */
async function keepChanges(tx: Tx, runId: string, plans: Parameters<KeepPlans>[1]): Promise<Counters> {
  const changed = plans.flatMap(({ listing, next, images, previous }) => {
    const fields = Object.keys(previous);
    if (fields.length === 0) return [];
    const after = diffBack(listing, next);
    if (images) after['images'] = images.named.length;
    return { listing_id: listing.id, fields, previous, next: after };
  });
  if (changed.length === 0) return {};
  const { rows } = await sql<{ fields: string[] }>`
    insert into reimport_changes (run_id, listing_id, fields, previous, next)
    select ${runId}, n.listing_id, n.fields, n.previous, n.next
    from jsonb_to_recordset(${JSON.stringify(changed)}::jsonb) as n (listing_id text, fields text[], previous jsonb, next jsonb)
    on conflict do nothing returning fields`.execute(tx);
  const counts: Counters = { changed: rows.length };
  for (const field of rows.flatMap(({ fields }) => fields)) {
    const name = FIELD_COUNTER + field;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}
