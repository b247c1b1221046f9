import { sql, type RawBuilder } from 'kysely';
import { recordEvents } from '../journal/events.ts';
import type { Clock } from '../kit/clock.ts';
import { eventColumns, listingEvent, type EventListing } from '../listings/listing-event.ts';
import type { Jobs, Tx } from '../queues/jobs.ts';
import { recordRentalChange } from '../rentals/rental.ts';

type Dependencies = { jobs: Pick<Jobs, 'enqueue'>; clock: Clock };

/** The listings that one transaction changes. */
export const PUBLICATIONS_CHUNK = 200;

/**
 * Hides what a suspended person has on show, up to PUBLICATIONS_CHUNK listings in the order of their ids, and brings back as it
 * was what a person has that is suspended no more; listings whose time is over meanwhile have expired. Answers how many it
 * changed: 0 when the publications are as the account is. `skipLocked` leaves rows that others hold to a later call, for whoever
 * holds what those may wait for.
 */
export async function alignPublications(
  tx: Tx,
  services: Dependencies,
  userId: string,
  { skipLocked = false } = {},
): Promise<number> {
  const { rows } = await sql<{ is_suspended: boolean }>`
    select disabled_at is not null as is_suspended from users where id = ${userId} for key share`.execute(tx);
  const [user] = rows;
  if (!user) return 0;
  const found = user.is_suspended ? shown(userId) : sql`seller_id = ${userId} and status = 'suspended'`;
  const now = services.clock.now();
  const lock = skipLocked ? sql`for update skip locked` : sql`for update`;
  const next = user.is_suspended
    ? sql`suspended_status = l.status, status = 'suspended'`
    : sql`status = case when l.expires_at > ${now} then l.suspended_status else 'expired' end, suspended_status = null`;
  const changed = await sql<EventListing & { status_before: string }>`
    with due as materialized (
      select id, status from listings where ${found} order by id limit ${PUBLICATIONS_CHUNK} ${lock})
    update listings as l set ${next}, updated_at = ${now}, version = version + 1
    from due where l.id = due.id
    returning ${sql.join(eventColumns.map((column) => sql.ref(`l.${column}`)))}, due.status as status_before`.execute(
    tx,
  );
  await tellOfListings(tx, services, changed.rows, now);
  return changed.rows.length + (await alignRentals(tx, { ownerId: userId, isSuspended: user.is_suspended, lock }, now));
}

/** What the marketplace's scrapers have brought in stays: it is the marketplace's, whoever set them up. */
const shown = (userId: string) => sql`seller_id = ${userId} and status in ('active', 'paused')
  and not exists (select from listing_sources s where s.listing_id = listings.id and s.scraper_id is not null)`;

async function tellOfListings(
  tx: Tx,
  { jobs }: Dependencies,
  changed: readonly (EventListing & { status_before: string })[],
  now: Date,
): Promise<void> {
  if (changed.length === 0) return;
  await recordEvents(
    tx,
    now,
    changed.map(({ status_before: status, ...listing }) =>
      listingEvent(listing.status === 'expired' ? 'listing.expired' : 'listing.updated', listing, { status }),
    ),
  );
  await jobs.enqueue(tx, 'index-listing', { listing_ids: changed.map(({ id }) => id) });
}

async function alignRentals(
  tx: Tx,
  { ownerId, isSuspended, lock }: { ownerId: string; isSuspended: boolean; lock: RawBuilder<unknown> },
  now: Date,
): Promise<number> {
  const set = isSuspended
    ? sql`suspended_status = status, status = 'suspended'`
    : sql`status = suspended_status, suspended_status = null`;
  const found = isSuspended ? sql`status in ('active', 'paused')` : sql`status = 'suspended'`;
  const { rows } = await sql<{ id: string }>`
    update rentals set ${set}, updated_at = ${now} where id in (
      select id from rentals where owner_id = ${ownerId} and ${found} order by id limit ${PUBLICATIONS_CHUNK} ${lock})
    returning id`.execute(tx);
  for (const { id } of rows) await recordRentalChange(tx, now, id);
  return rows.length;
}
