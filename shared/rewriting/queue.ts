import { sql } from 'kysely';
import type { Database } from '../../db/client.ts';
import type { Jobs, Tx } from '../queues/jobs.ts';
import type { JournalEntry } from '../journal/reader.ts';
import type { Profile } from '../profiles/profile.ts';
import { shownHash, sourceHash } from './source.ts';

type Wish = {
  listingIds: readonly string[];
  locales: readonly string[];
  /** Also what is up to date; what a person has edited never. */
  force?: boolean;
  /** Only active listings, and nothing that was refused for the listing as it stands. */
  onlyMissing?: boolean;
};

/** The listings that everybody may read and that last: those worth a text. */
const publicStatuses = ['active', 'paused'];
const settled = (hasProvider: boolean) => ['completed', 'failed', ...(hasProvider ? [] : ['skipped'])];

/**
 * Queues the texts of some listings that are not up to date, in the caller's transaction; `skipped` are those that are, and all
 * of listings that do not exist. Until a new text is there the old one is shown.
 */
export async function queueTexts(
  tx: Tx,
  jobs: Pick<Jobs, 'enqueueAll'>,
  { listingIds, locales, force = false, onlyMissing = false }: Wish,
  now: Date,
): Promise<{ queued: number; skipped: number }> {
  const ids = [...new Set(listingIds)];
  const wanted = [...new Set(locales)];
  const current = sql`(select ${sourceHash('c')} from listings c where c.id = r.listing_id)`;
  const upToDate = onlyMissing
    ? sql`r.status = any(${settled(true)}::text[]) and r.tried_hash = ${current}`
    : sql`r.status = 'completed' and r.source_hash = ${current}`;
  const { rows } = await sql<{ listing_id: string; locale: string }>`
    insert into listing_rewrites as r (listing_id, locale, status, updated_at)
    select l.id, locale, 'pending', ${now} from listings l cross join unnest(${wanted}::text[]) as locale
    where l.id = any(${ids}::text[]) and l.status ${onlyMissing ? sql`= 'active'` : sql`<> 'deleted'`}
    order by l.id, locale
    on conflict (listing_id, locale) do update
      set status = 'pending', error = null, updated_at = excluded.updated_at, source_hash = ${shownHash('r')}
      where not r.edited_by_human and (${force} or (${upToDate}) is not true)
    returning listing_id, locale`.execute(tx);
  await jobs.enqueueAll(
    tx,
    'rewrite-listing',
    rows.map((payload) => ({ payload, options: { key: `${payload.listing_id}:${payload.locale}` } })),
  );
  return { queued: rows.length, skipped: ids.length * wanted.length - rows.length };
}

/** Has the texts written, in the reader's transaction, that listings lack since these events published or changed them. */
export async function followListings(
  {
    ai,
    jobs,
    profile,
    clock,
  }: { ai: unknown; jobs: Pick<Jobs, 'enqueueAll'>; profile: Profile; clock: { now(): Date } },
  tx: Tx,
  events: readonly JournalEntry[],
): Promise<void> {
  const changed = events.filter(({ type }) => type === 'listing.published' || type === 'listing.updated');
  if (ai === undefined || changed.length === 0) return;
  const listingIds = changed.map(({ subject }) => subject);
  await queueTexts(tx, jobs, { listingIds, locales: profile.locales, onlyMissing: true }, clock.now());
}

type Missing = { locales: readonly string[]; hasProvider: boolean };

/** Public listings l that lack one of their texts: it was neither made nor refused for the listing as it stands. */
const lacksTexts = ({ locales, hasProvider }: Missing) => sql<boolean>`
  l.status = any(${publicStatuses}::text[]) and (
    select count(*) from listing_rewrites r
    where r.listing_id = l.id and r.locale = any(${[...locales]}::text[]) and (
      r.edited_by_human or (r.status = any(${settled(hasProvider)}::text[])
        and (r.updated_at >= l.updated_at or r.tried_hash = ${sourceHash('l')})))
  ) < ${locales.length}`;

/** How many listings lack a text. */
export async function countMissing(db: Database, missing: Missing): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from listings l where ${lacksTexts(missing)}`.execute(db);
  return rows[0]?.n ?? 0;
}

/** The newest listings that lack a text. */
export async function findNewestMissing(db: Database, missing: Missing, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select l.id from listings l where ${lacksTexts(missing)} order by l.id desc limit ${limit}`.execute(db);
  return rows.map(({ id }) => id);
}

/** The next listings after one, in the order of their ids, that lack a text. */
export async function findNextMissing(db: Database, missing: Missing, after: string, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select l.id from listings l where l.id > ${after} and ${lacksTexts(missing)} order by l.id limit ${limit}`.execute(
    db,
  );
  return rows.map(({ id }) => id);
}
