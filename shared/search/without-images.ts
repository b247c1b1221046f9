import { sql } from 'kysely';
import { inTransaction, type Database } from '../../db/client.ts';
import { addMilliseconds, DAY_MS, type Clock } from '../kit/clock.ts';
import { recordEvents } from '../journal/events.ts';
import { rememberDeletedSources } from '../listings/deleted-sources.ts';
import type { Jobs, Tx } from '../queues/jobs.ts';
import type { Profile } from '../profiles/profile.ts';
import { cardColumns, cardJoins, type CardRow } from '../listings/card.ts';
import { eventColumns, listingEvent } from '../listings/listing-event.ts';
import { MAX_OFFSET } from './search.ts';
import { COUNT_LIMIT } from './postgres/total.ts';

/** Which of the listings without images. */
export type WithoutImages = { status?: string | undefined; source?: string | undefined; createdBefore: Date };

type Deleter = {
  db: Database;
  jobs: Pick<Jobs, 'enqueue'>;
  clock: Clock;
  profile: Pick<Profile, 'deleteMode'>;
};

const CHUNK = 250;
/** Listings deleted per call at most, so that it ends in seconds. */
const MAX_DELETED = 1_000;

/** When what is `days` old was created, or before. */
export const createdBefore = (now: Date, days: number) => addMilliseconds(now, -days * DAY_MS);

/** Sold listings keep what they tell of prices; what waits for an image is about to have one. */
const fits = ({ status, source, createdBefore: before }: WithoutImages) => sql<boolean>`
  l.images = '[]' and l.status not in ('sold', 'deleted')
  and (${status ?? null}::text is null or l.status = ${status ?? null})
  and (${source ?? null}::text is null or l.source = ${source ?? null}) and l.created_at <= ${before}
  and not exists (select from listing_images w where w.listing_id = l.id and w.status = 'pending')`;

/** One page of the listings that show no image and wait for none, newest first, and how many there are: exact up to COUNT_LIMIT. */
export async function findWithoutImages(
  db: Database,
  filter: WithoutImages,
  { offset, limit, locale }: { offset: number; limit: number; locale: string },
): Promise<{ rows: CardRow[]; total: number }> {
  const isTooFar = offset + limit > MAX_OFFSET;
  const [{ rows }, total] = await Promise.all([
    sql<CardRow>`
      with page as (
        select l.id from listings l where ${fits(filter)} order by l.id desc limit ${isTooFar ? 0 : limit} offset ${isTooFar ? 0 : offset})
      select ${sql.raw(cardColumns)} from (select ${locale}::text as locale) as wanted cross join page join listings l on l.id = page.id
      ${sql.raw(cardJoins('wanted.locale'))}
      order by page.id desc`.execute(db),
    countWithoutImages(db, filter),
  ]);
  return { rows, total };
}

/** How many of them there are, exact up to COUNT_LIMIT. */
export async function countWithoutImages(db: Database, filter: WithoutImages): Promise<number> {
  const { rows } = await sql<{ total: number }>`
    select count(*)::int as total from (select 1 from listings l where ${fits(filter)} limit ${COUNT_LIMIT}) as counted`.execute(
    db,
  );
  return rows[0]?.total ?? 0;
}

/** Deletes them as the profile does, the oldest first and 1,000 at most; answers how many. */
export async function deleteWithoutImages(services: Deleter, filter: WithoutImages): Promise<number> {
  let deleted = 0;
  for (let found = CHUNK; found === CHUNK && deleted < MAX_DELETED; deleted += found) {
    found = await inTransaction(services.db, (tx) => deleteChunk(tx, services, filter));
  }
  return deleted;
}

/** The lock settles what shows an image after all; what somebody else holds is left to the next chunk or call. */
async function deleteChunk(tx: Tx, { jobs, clock, profile }: Deleter, filter: WithoutImages): Promise<number> {
  const now = clock.now();
  const before = await tx
    .selectFrom('listings as l')
    .select(['l.id', 'l.status'])
    .where(fits(filter))
    .orderBy('l.id')
    .limit(CHUNK)
    .forUpdate('l')
    .skipLocked()
    .execute();
  if (before.length === 0) return 0;
  const ids = before.map(({ id }) => id);
  const statuses = new Map(before.map(({ id, status }) => [id, status]));
  const deleted = await tx
    .updateTable('listings')
    .set({ status: 'deleted', deleted_at: now, updated_at: now, version: sql`version + 1` })
    .where('id', '=', sql<string>`any(${ids}::text[])`)
    .returning(eventColumns)
    .execute();
  await recordEvents(
    tx,
    now,
    deleted.map((listing) => listingEvent('listing.deleted', listing, { status: statuses.get(listing.id) })),
  );
  await jobs.enqueue(tx, 'index-listing', { listing_ids: ids });
  if (profile.deleteMode === 'hard') await removeRows(tx, jobs, ids, now);
  return deleted.length;
}

/** The rows go with all that hangs on them; so do images that were fetched for them and that nothing else has use for. */
async function removeRows(tx: Tx, jobs: Deleter['jobs'], ids: readonly string[], now: Date): Promise<void> {
  const { rows: fetched } = await sql<{ sha256: string }>`
    select distinct sha256 from listing_images where listing_id = any(${ids}::text[]) and sha256 is not null`.execute(
    tx,
  );
  await rememberDeletedSources(tx, ids, now);
  await sql`delete from listings where id = any(${ids}::text[])`.execute(tx);
  const hashes = fetched.map(({ sha256 }) => sha256);
  for (let start = 0; start < hashes.length; start += MAX_DELETED)
    await jobs.enqueue(tx, 'delete-pictures', { sha256: hashes.slice(start, start + MAX_DELETED) });
}
