import { sql } from 'kysely';
import { addMilliseconds, DAY_MS, HOUR_MS } from '../kit/clock.ts';
import { recordEvents } from '../journal/events.ts';
import { withdrawListing } from '../ingest/page-state.ts';
import { INTERVAL_HOURS } from '../ingest/store-rows.ts';
import type { Jobs, Tx } from '../queues/jobs.ts';
import { eventColumns, listingEvent } from '../listings/listing-event.ts';
import { MAX_ERROR_LENGTH } from '../kit/errors.ts';

export type RefreshResult = { listing_id: string; outcome: 'changed' | 'unchanged' | 'gone' | 'failed' };

/** Misses in a row (404 or 410) that withdraw a listing. */
const ENOUGH_MISSES = 2;
const FAILED_PAUSE_MS = 6 * HOUR_MS;
const GONE_PAUSE_MS = 7 * DAY_MS;
const GONE = 'The page is gone.';

/**
 * Notes that the pages of some listings answered 404 or 410: evidence about these pages alone. The first time a page is due
 * for a second look at once; a listing whose page is missed a second time in a row expires now, with an event, and is looked
 * at once a week in case it comes back. `since` is when the pages were asked for: a miss that is already known from a later
 * time is not counted twice. Answers the ids of the listings that expired.
 */
export async function noteGonePages(
  tx: Tx,
  { jobs }: { jobs: Pick<Jobs, 'enqueue'> },
  listingIds: readonly string[],
  now: Date,
  since: Date = now,
): Promise<string[]> {
  const missed = await countMisses(tx, listingIds, { misses: 1, since }, now);
  return expireMissed(tx, jobs, missed, now);
}

/** As noteGonePages, for pages whose source declares that they are gone: no second visit has to confirm it. */
export async function noteDeclaredGone(
  tx: Tx,
  { jobs }: { jobs: Pick<Jobs, 'enqueue'> },
  listingIds: readonly string[],
  now: Date,
): Promise<string[]> {
  const missed = await countMisses(tx, listingIds, { misses: ENOUGH_MISSES, since: now }, now);
  return expireMissed(tx, jobs, missed, now);
}

type MissedPage = { listing_id: string; withdrawn_from: string | null };

/** Adds misses to the pages of some listings, and answers those that have enough. */
async function countMisses(
  tx: Tx,
  listingIds: readonly string[],
  { misses, since }: { misses: number; since: Date },
  now: Date,
): Promise<MissedPage[]> {
  if (listingIds.length === 0) return [];
  const { rows } = await sql<MissedPage>`
    with known as (
      select listing_id from listing_sources where listing_id = any(${listingIds}::text[]) order by normalized_url for update),
    missed as (
      update listing_sources s set leased_until = null, last_verified_at = ${now}, last_error = ${GONE},
        misses = case when s.missed_at > ${since}::timestamptz then s.misses else s.misses + ${misses}::int end, missed_at = ${now},
        due_at = case when s.misses + ${misses}::int < ${ENOUGH_MISSES} then ${now}::timestamptz else ${addMilliseconds(now, GONE_PAUSE_MS)}::timestamptz end
      from known k where s.listing_id = k.listing_id
      returning s.listing_id, s.misses, s.withdrawn_from)
    select listing_id, withdrawn_from from missed where misses >= ${ENOUGH_MISSES} order by listing_id`.execute(tx);
  return rows;
}

async function expireMissed(
  tx: Tx,
  jobs: Pick<Jobs, 'enqueue'>,
  missed: readonly MissedPage[],
  now: Date,
): Promise<string[]> {
  const ids = missed.map(({ listing_id }) => listing_id);
  if (ids.length === 0) return [];
  const listings = await tx
    .selectFrom('listings')
    .select(eventColumns)
    .where('id', 'in', ids)
    .orderBy('id')
    .forUpdate()
    .execute();
  const before = new Map(missed.map((row) => [row.listing_id, row.withdrawn_from]));
  const withdrawn = listings.map((listing) => ({
    listing,
    transition: withdrawListing(listing.status, now, before.get(listing.id) ?? null),
  }));
  const marks = withdrawn.map(({ listing, transition }) => ({ id: listing.id, from: transition.withdrawn_from }));
  await sql`
    update listing_sources s set withdrawn_at = coalesce(s.withdrawn_at, ${now}), withdrawn_from = m.from
    from jsonb_to_recordset(${JSON.stringify(marks)}::jsonb) as m (id text, "from" text)
    where s.listing_id = m.id and m.from is not null`.execute(tx);
  const expired = withdrawn.filter(({ transition }) => transition.status !== null).map(({ listing }) => listing);
  if (expired.length === 0) return [];
  const expiredIds = expired.map(({ id }) => id);
  await tx
    .updateTable('listings')
    .set({ status: 'expired', expires_at: now, updated_at: now, version: sql`version + 1` })
    .where('id', 'in', expiredIds)
    .execute();
  const events = expired.map((listing) =>
    listingEvent('listing.expired', { ...listing, status: 'expired' }, { status: listing.status }),
  );
  await recordEvents(tx, now, events);
  await jobs.enqueue(tx, 'index-listing', { listing_ids: expiredIds });
  return expiredIds;
}

/**
 * Notes that pages say they have not changed since they were read: their listings are as they should be, and they are due again
 * later than before.
 */
export async function noteVerifiedPages(tx: Tx, listingIds: readonly string[], now: Date): Promise<void> {
  if (listingIds.length === 0) return;
  await sql`
    with known as (
      select listing_id, least(interval_hours * 2, ${INTERVAL_HOURS.max}) as hours from listing_sources
      where listing_id = any(${listingIds}::text[]) order by normalized_url for update)
    update listing_sources s
    set last_verified_at = ${now}, misses = 0, missed_at = null, leased_until = null,
      last_error = case when s.withdrawn_from is null then null else s.last_error end,
      scrape_count = s.scrape_count + 1, interval_hours = k.hours, due_at = ${now}::timestamptz + k.hours * interval '1 hour'
    from known k where s.listing_id = k.listing_id`.execute(tx);
}

/** Notes pages that could not be read: no evidence of anything, they are due again after some hours. */
export async function noteFailedPages(
  tx: Tx,
  failed: readonly { listing_id: string; message: string }[],
  now: Date,
): Promise<void> {
  if (failed.length === 0) return;
  const rows = failed.map(({ listing_id, message }) => ({
    listing_id,
    message: message.slice(0, MAX_ERROR_LENGTH).toWellFormed(),
  }));
  await sql`
    update listing_sources s
    set leased_until = null, last_error = f.message, due_at = greatest(s.due_at, ${addMilliseconds(now, FAILED_PAUSE_MS)})
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as f (listing_id text, message text)
    where s.listing_id = f.listing_id`.execute(tx);
}

/** Records the results of refreshes, for the statistics of a day. */
export async function recordRefreshes(tx: Tx, looks: readonly RefreshResult[], now: Date): Promise<void> {
  if (looks.length === 0) return;
  await sql`
    insert into refresh_looks (listing_id, site, outcome, looked_at)
    select n.listing_id, s.site, n.outcome, ${now}
    from jsonb_to_recordset(${JSON.stringify(looks)}::jsonb) as n (listing_id text, outcome text)
      join listing_sources s on s.listing_id = n.listing_id`.execute(tx);
}
