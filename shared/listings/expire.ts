import { sql } from 'kysely';
import { inTransaction, isConnectionError, type Database } from '../../db/client.ts';
import { addMilliseconds, DAY_MS, type Clock } from '../kit/clock.ts';
import { recordEvents } from '../journal/events.ts';
import type { Jobs, Tx } from '../queues/jobs.ts';
import type { Logger } from '../kit/log.ts';
import { eventColumns, listingEvent, type EventListing } from './listing-event.ts';

type Services = { db: Database; jobs: Pick<Jobs, 'enqueue'>; clock: Clock; log: Logger };

/** A listing that could not be expired or reminded of; the next run tries it again. */
export type FailedListing = { listing_id: string; message: string };
export type Expired = { expired: number; errors: FailedListing[] };

const CHUNK = 500;
/** A scraped listing expires when its page was not seen for so long. */
export const MAX_UNSEEN_MS = 60 * DAY_MS;

/** Whether a listing is due; asked again under its lock, so that a renewal or a page seen meanwhile counts. */
const isOver = (now: Date) => sql<boolean>`(
  l.status in ('active', 'paused') and l.expires_at <= ${now} and (l.source <> 'scraped' or exists (
    select from listing_sources s
    where s.listing_id = l.id and greatest(s.scraped_at, s.last_verified_at) <= ${addMilliseconds(now, -MAX_UNSEEN_MS)})))`;

/**
 * Expires listings that are over: by their date or, scraped ones, when their page was not seen for 60 days. Each chunk is a
 * transaction with its events and index jobs, so that a killed run is completed by the next and two at a time share the
 * work. A listing that fails is reported and stops none of the others.
 */
export async function expireListings(services: Services, signal?: AbortSignal): Promise<Expired> {
  const now = services.clock.now();
  const outcome: Expired = { expired: 0, errors: [] };
  for (const find of [findDated, findUnseen]) {
    let after: DueListing | undefined;
    do {
      signal?.throwIfAborted();
      const due = await find(services.db, now, after);
      const done = await expireEach(services, due, now);
      outcome.expired += done.expired;
      outcome.errors.push(...done.errors);
      after = due.length === CHUNK ? due.at(-1) : undefined;
    } while (after !== undefined);
  }
  return outcome;
}

type DueListing = { id: string; at: string };

/** The listings that expire by their date, in the order of the index that holds them alone. */
async function findDated(db: Database, now: Date, after?: DueListing): Promise<DueListing[]> {
  const { rows } = await sql<DueListing>`
    select id, expires_at::text as at from listings
    where status in ('active', 'paused') and source <> 'scraped' and expires_at <= ${now}
      and (expires_at, id) > (${after?.at ?? '-infinity'}::timestamptz, ${after?.id ?? ''})
    order by expires_at, id limit ${CHUNK}`.execute(db);
  return rows;
}

/** The scraped listings that are on show still, although nobody has seen their page for long. */
async function findUnseen(db: Database, now: Date, after?: DueListing): Promise<DueListing[]> {
  const { rows } = await sql<DueListing>`
    select l.id, greatest(s.scraped_at, s.last_verified_at)::text as at
    from listing_sources s join listings l on l.id = s.listing_id
    where greatest(s.scraped_at, s.last_verified_at) <= ${addMilliseconds(now, -MAX_UNSEEN_MS)}
      and (greatest(s.scraped_at, s.last_verified_at), l.id) > (${after?.at ?? '-infinity'}::timestamptz, ${after?.id ?? ''})
      and l.source = 'scraped' and l.status in ('active', 'paused') and l.expires_at <= ${now}
    order by greatest(s.scraped_at, s.last_verified_at), l.id limit ${CHUNK}`.execute(db);
  return rows;
}

/** Expires a chunk at once and, where that fails, one by one to isolate the failure. */
async function expireEach(services: Services, due: readonly DueListing[], now: Date): Promise<Expired> {
  const ids = due.map(({ id }) => id);
  if (ids.length === 0) return { expired: 0, errors: [] };
  try {
    const expire = (tx: Tx) => expireChunk(tx, services, ids, now);
    return { expired: await inTransaction(services.db, expire, { autonomous: true }), errors: [] };
  } catch (error) {
    if (isConnectionError(error)) throw error;
    const [only] = ids;
    if (ids.length > 1 || only === undefined) return expireSingly(services, due, now);
    services.log.error({ err: error, listing_id: only }, 'a listing could not expire');
    return { expired: 0, errors: [{ listing_id: only, message: 'The listing could not be changed.' }] };
  }
}

async function expireSingly(services: Services, due: readonly DueListing[], now: Date): Promise<Expired> {
  const outcome: Expired = { expired: 0, errors: [] };
  for (const place of due) {
    const { expired, errors } = await expireEach(services, [place], now);
    outcome.expired += expired;
    outcome.errors.push(...errors);
  }
  return outcome;
}

async function expireChunk(tx: Tx, { jobs }: Services, ids: readonly string[], now: Date): Promise<number> {
  // By id alone: an index of dates, where most are due, would be walked for every chunk.
  const { rows: locked } = await sql<{ id: string; status: string; is_over: boolean }>`
    select l.id, l.status, ${isOver(now)} as is_over from listings l where l.id = any(${ids}::text[]) order by l.id for update of l`.execute(
    tx,
  );
  const before = new Map(locked.flatMap(({ id, status, is_over }) => (is_over ? [[id, status]] : [])));
  if (before.size === 0) return 0;
  const expired: EventListing[] = await tx
    .updateTable('listings')
    .set({ status: 'expired', updated_at: now, version: sql`version + 1` })
    .where('id', '=', sql<string>`any(${[...before.keys()]}::text[])`)
    .returning(eventColumns)
    .execute();
  await recordEvents(
    tx,
    now,
    expired.map((listing) => listingEvent('listing.expired', listing, { status: before.get(listing.id) })),
  );
  await jobs.enqueue(tx, 'index-listing', { listing_ids: [...before.keys()] });
  return expired.length;
}
