import { sql } from 'kysely';
import { MARKETPLACE } from '../ingest/page-owner.ts';
import { addMilliseconds, DAY_MS } from '../kit/clock.ts';
import type { Tx } from '../queues/jobs.ts';
import type { RecordsOwner } from './quarantine.ts';

/** After so long an item is ingested again although it is as it was. */
const MAX_TRUST_MS = 14 * DAY_MS;
/** The last time a listing was seen is written down at most so often while nothing changes. */
const VERIFIED_EVERY_MS = DAY_MS;
const VERIFIED_AT_ONCE = 2_000;

/** The listing of an item stands as the item says, and may stay: nothing was missed or claimed of it. */
const standsAsRead = sql`exists (
  select from listing_sources s join listings l on l.id = s.listing_id
  where s.normalized_url = f.page and s.owner = ${MARKETPLACE} and s.scraper_id = f.scraper_id and s.scraped_at >= f.read_at
    and s.misses = 0 and s.gone_claimed_at is null and s.withdrawn_from is null and l.status in ('draft', 'active', 'paused'))`;

/** What is known of an item: this run has seen it before, or it is as an earlier run has stored it. */
export type KnownItem = 'seen' | 'unchanged' | undefined;

/**
 * Notes that a run has seen some items of a feed, each page once, and answers what was known of each. Those of which nothing is
 * known are read now.
 */
export async function noteItems(
  tx: Tx,
  run: RecordsOwner,
  items: readonly { page: string; hash: Buffer }[],
  now: Date,
): Promise<Map<string, KnownItem>> {
  const rows = JSON.stringify(items.map(({ page, hash }) => ({ page, hash: hash.toString('hex') })));
  const { rows: known } = await sql<{ page: string; is_seen: boolean; is_unchanged: boolean }>`
    select f.page, f.run_id = ${run.id} as is_seen,
      coalesce(f.hash = decode(n.hash, 'hex'), false) and f.read_at > ${addMilliseconds(now, -MAX_TRUST_MS)} and ${standsAsRead} as is_unchanged
    from jsonb_to_recordset(${rows}::jsonb) as n (page text, hash text)
    join feed_items f on f.scraper_id = ${run.scraperId} and f.page = n.page`.execute(tx);
  const states = new Map<string, KnownItem>(items.map(({ page }) => [page, undefined]));
  for (const { page, is_seen: isSeen, is_unchanged: isUnchanged } of known)
    states.set(page, isSeen ? 'seen' : isUnchanged ? 'unchanged' : undefined);
  const unchanged = [...states].filter(([, state]) => state === 'unchanged').map(([page]) => page);
  await sql`
    insert into feed_items (scraper_id, page, hash, run_id, read_at)
    select ${run.scraperId}, n.page, decode(n.hash, 'hex'), ${run.id}, ${now}
    from jsonb_to_recordset(${rows}::jsonb) as n (page text, hash text) order by n.page
    on conflict (scraper_id, page) do update set hash = excluded.hash, run_id = excluded.run_id,
      read_at = case when excluded.page = any(${unchanged}::text[]) then feed_items.read_at else excluded.read_at end
    where feed_items.run_id <> excluded.run_id`.execute(tx);
  return states;
}

/**
 * Notes that listings of a scraper are as they should be: of those whose last look is a day old some thousand; all, or those that
 * the run `seenBy` saw. Answers how many.
 */
export async function verifyFeedListings(
  tx: Tx,
  scraperId: string,
  seenBy: string | undefined,
  now: Date,
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    update listing_sources set last_verified_at = ${now} where listing_id = any(array(
      select s.listing_id from listing_sources s left join feed_items f on f.scraper_id = s.scraper_id and f.page = s.normalized_url
      where s.scraper_id = ${scraperId} and s.misses = 0 and s.withdrawn_from is null
        and greatest(s.scraped_at, s.last_verified_at) < ${addMilliseconds(now, -VERIFIED_EVERY_MS)}
        and (${seenBy ?? null}::text is null or f.run_id = ${seenBy ?? null})
      order by s.normalized_url limit ${VERIFIED_AT_ONCE} for update of s))`.execute(tx);
  return Number(numAffectedRows);
}

/** The listings of a scraper that a later feed can miss: those that may be on show, and were there before the run. */
const mayBeMissed = (run: RecordsOwner) => sql`
  from listing_sources s join listings l on l.id = s.listing_id join runs r on r.id = ${run.id}
    left join feed_items f on f.scraper_id = s.scraper_id and f.page = s.normalized_url
  where s.scraper_id = ${run.scraperId} and s.owner = ${MARKETPLACE} and s.withdrawn_from is null
    and s.first_seen_at < r.created_at and l.status in ('draft', 'active', 'paused', 'flagged')`;

/** How many listings a feed had that it lacks now, and how many there were; those that an earlier feed lacked count as neither. */
export async function countMissingListings(
  tx: Tx,
  run: RecordsOwner,
  seenBy: string,
): Promise<{ missing: number; of: number }> {
  const { rows } = await sql<{ missing: number; of: number }>`
    select count(*) filter (where f.run_id is distinct from ${seenBy})::int as missing, count(*)::int as of
    ${mayBeMissed(run)} and s.misses = 0`.execute(tx);
  return rows[0] ?? { missing: 0, of: 0 };
}

/** Keeps in mind which listings a whole feed lacks, until the run is judged. Those that a run `seenBy` saw are in it. */
export async function holdMissing(tx: Tx, run: RecordsOwner, seenBy: string): Promise<void> {
  await sql`
    insert into run_held (run_id, gone_url)
    select ${run.id}, s.normalized_url ${mayBeMissed(run)} and f.run_id is distinct from ${seenBy}`.execute(tx);
}

/** Keeps in mind which items a feed declares gone, until the run is judged. */
export async function holdDeclaredGone(tx: Tx, run: RecordsOwner, pages: readonly string[]): Promise<void> {
  if (pages.length === 0) return;
  await sql`
    insert into run_held (run_id, gone_url, is_declared)
    select ${run.id}, s.normalized_url, true from listing_sources s
    where s.scraper_id = ${run.scraperId} and s.owner = ${MARKETPLACE} and s.normalized_url = any(${pages}::text[])
      and s.withdrawn_from is null`.execute(tx);
}

/** How many items a run has seen. */
export async function countSeen(tx: Tx, scraperId: string, runId: string): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from feed_items where scraper_id = ${scraperId} and run_id = ${runId}`.execute(tx);
  return rows[0]?.n ?? 0;
}

/** Forgets items that no feed has had for a year: a delta may come late. */
export const dropOldItems = (tx: Tx, scraperId: string, now: Date) =>
  tx
    .deleteFrom('feed_items')
    .where('scraper_id', '=', scraperId)
    .where('read_at', '<', addMilliseconds(now, -365 * DAY_MS))
    .execute();
