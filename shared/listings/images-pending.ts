import { sql, type Kysely } from 'kysely';
import { inTransaction, type Database } from '../../db/client.ts';
import type { DB } from '../../db/types.gen.ts';
import type { Clock } from '../kit/clock.ts';
import { recordEvents } from '../journal/events.ts';
import type { Jobs } from '../queues/jobs.ts';
import type { StoredImage } from './card.ts';
import { arrangeImages, MAX_IMAGES } from './images.ts';
import { eventColumns, listingEvent } from './listing-event.ts';
import { MAX_ERROR_LENGTH } from '../kit/errors.ts';

/** A listing's image that is still to be fetched, with the number of its images stored so far. */
export type PendingImage = { listing_id: string; source_url: string; position: number; stored: number };

/** The images that a listing waits for, best first; none for a listing that is deleted. */
export async function readPending(db: Kysely<DB>, listingId: string): Promise<PendingImage[]> {
  const { rows } = await sql<PendingImage>`
    select i.listing_id, i.source_url, i.position,
      (select count(distinct s.sha256)::int from listing_images s where s.listing_id = i.listing_id and s.status = 'stored') as stored
    from listing_images i join listings l on l.id = i.listing_id
    where i.listing_id = ${listingId} and i.status = 'pending' and l.status <> 'deleted'
    order by i.position, i.source_url`.execute(db);
  return rows;
}

/** Notes that an image is stored under this hash; false when another try has settled it, or the listing is gone. */
export function markStored(db: Kysely<DB>, image: PendingImage, sha256: string, now: Date): Promise<boolean> {
  return settle(db, image, { status: 'stored', sha256, error: null }, now);
}

/** Notes that an image will not come, and why. */
export async function markFailed(db: Kysely<DB>, image: PendingImage, reason: string, now: Date): Promise<void> {
  await settle(db, image, { status: 'failed', error: reason.slice(0, MAX_ERROR_LENGTH) }, now);
}

/** Notes a try that may succeed later. */
export async function noteAttempt(db: Kysely<DB>, image: PendingImage, reason: string, now: Date): Promise<void> {
  await settle(db, image, { error: reason.slice(0, MAX_ERROR_LENGTH) }, now);
}

async function settle(
  db: Kysely<DB>,
  { listing_id, source_url }: PendingImage,
  change: { status?: string; sha256?: string; error: string | null },
  now: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('listing_images')
    .set({ ...change, attempts: sql`attempts + 1`, updated_at: now })
    .where('listing_id', '=', listing_id)
    .where('source_url', '=', source_url)
    .where('status', '=', 'pending')
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Deletes pending images of a listing that shows as many as it can. */
export async function dropNeedless(db: Kysely<DB>, images: readonly PendingImage[]): Promise<void> {
  const [first] = images;
  if (!first) return;
  await sql`
    delete from listing_images i
    where i.listing_id = ${first.listing_id} and i.status = 'pending' and i.source_url = any(${images.map((image) => image.source_url)}::text[])
      and ${MAX_IMAGES} <= (select count(distinct s.sha256) from listing_images s where s.listing_id = i.listing_id and s.status = 'stored')`.execute(
    db,
  );
}

/** Updates listings.images to the images stored for it, with event and index job, in one transaction. Idempotent. */
export async function showStoredImages(
  { db, jobs, clock }: { db: Database; jobs: Pick<Jobs, 'enqueue'>; clock: Clock },
  listingId: string,
): Promise<void> {
  await inTransaction(db, async (tx) => {
    const listing = await tx
      .selectFrom('listings')
      .select([...eventColumns, 'images'])
      .where('id', '=', listingId)
      .where('status', '<>', 'deleted')
      .forUpdate()
      .executeTakeFirst();
    if (!listing) return;
    const stored = await tx
      .selectFrom('listing_images')
      .select(['sha256', 'alt', 'position'])
      .where('listing_id', '=', listingId)
      .where('status', '=', 'stored')
      .orderBy('position')
      .execute();
    const current = listing.images as StoredImage[];
    const arrived = stored.flatMap(({ sha256, alt, position }) => (sha256 === null ? [] : [{ sha256, alt, position }]));
    const images = arrangeImages(current, arrived);
    if (JSON.stringify(images) === JSON.stringify(current)) return;
    const now = clock.now();
    await tx
      .updateTable('listings')
      .set({ images: JSON.stringify(images), version: sql`version + 1`, updated_at: now })
      .where('id', '=', listingId)
      .execute();
    await recordEvents(tx, now, [listingEvent('listing.updated', listing, { images: current })]);
    await jobs.enqueue(tx, 'index-listing', { listing_ids: [listingId] });
  });
}
