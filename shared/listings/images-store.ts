import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { inTransaction, type Database } from '../../db/client.ts';
import type { ProcessedImage } from '../adapters/images.ts';
import { IMMUTABLE, type Storage } from '../adapters/storage.ts';
import type { Clock } from '../kit/clock.ts';
import type { Tx } from '../queues/jobs.ts';
import { removeLeftover } from './images-delete.ts';
import { imageKeyOf, thumbnailKeyOf } from './images.ts';

export type ImageStore = { db: Database; storage: Storage; clock: Clock };

const WEBP = { contentType: 'image/webp', cacheControl: IMMUTABLE };
const TRIES = 3;

/** The files or the row were deleted meanwhile: try again. */
class LeaseLost extends Error {}

/**
 * Stores images together with what `use` writes: both are committed, or neither row nor file remains. Files are written
 * first, under a lease that protects them from deletion, so that no transaction waits for the storage; a row in `images`
 * means that its files exist.
 */
export async function storeImages<T>(
  store: ImageStore,
  images: readonly ProcessedImage[],
  use: (tx: Tx) => Promise<T>,
): Promise<T> {
  const ordered = [...new Map(images.map((image) => [image.sha256, image])).values()].sort((a, b) =>
    a.sha256 < b.sha256 ? -1 : 1,
  );
  for (let attempt = 1; ; attempt += 1) {
    const lease = randomUUID();
    try {
      await takeLease(store, ordered, lease);
      for (const image of ordered) await putFiles(store.storage, image);
      return await inTransaction(store.db, async (tx) => {
        await insertImageRows(tx, ordered, store.clock.now());
        return use(tx);
      });
    } catch (error) {
      // What cannot be removed now is removed when its lease is old.
      for (const { sha256 } of ordered) await removeLeftover(store, sha256, { lease }).catch(() => undefined);
      if (error instanceof LeaseLost && attempt < TRIES) continue;
      throw error;
    }
  }
}

async function takeLease({ db, clock }: ImageStore, images: readonly ProcessedImage[], lease: string): Promise<void> {
  await sql`
    insert into picture_leftovers (sha256, lease, leased_at)
    select sha256, ${lease}::uuid, ${clock.now()}::timestamptz from unnest(${images.map(({ sha256 }) => sha256)}::text[]) as t (sha256)
    on conflict (sha256) do update set lease = excluded.lease, leased_at = excluded.leased_at`.execute(db);
}

async function putFiles(storage: Storage, { sha256, webp, thumbnail }: ProcessedImage): Promise<void> {
  await Promise.all([
    storage.put(imageKeyOf(sha256), webp, WEBP),
    storage.put(thumbnailKeyOf(sha256), thumbnail, WEBP),
  ]);
}

/** A new row needs the lease of its files; where there is a row already, somebody else has put the same files there. */
async function insertImageRows(tx: Tx, images: readonly ProcessedImage[], now: Date): Promise<void> {
  const hashes = images.map(({ sha256 }) => sha256);
  const { rows: leased } = await sql<{ sha256: string }>`
    with held as (select sha256 from picture_leftovers where sha256 = any(${hashes}::text[]) order by sha256 for update)
    delete from picture_leftovers l using held where l.sha256 = held.sha256 returning l.sha256`.execute(tx);
  const inserted = await tx
    .insertInto('images')
    .values(
      images.map(({ sha256, webp, width, height, dhash }) => ({
        sha256,
        storage_key: imageKeyOf(sha256),
        thumbnail_key: thumbnailKeyOf(sha256),
        width,
        height,
        bytes: webp.length,
        dhash: sql<number>`${String(dhash)}::bigint`,
        created_at: now,
      })),
    )
    .onConflict((conflict) => conflict.column('sha256').doNothing())
    .returning('sha256')
    .execute();
  const held = new Set(leased.map(({ sha256 }) => sha256));
  if (inserted.some(({ sha256 }) => !held.has(sha256))) throw new LeaseLost('the files were deleted meanwhile');
  // Whoever deletes an image waits from here on, and finds what refers to it.
  const there = await tx
    .selectFrom('images')
    .select('sha256')
    .where('sha256', '=', sql<string>`any(${hashes}::text[])`)
    .orderBy('sha256')
    .forKeyShare()
    .execute();
  if (there.length < hashes.length) throw new LeaseLost('an image was deleted meanwhile');
  await tx
    .insertInto('image_cores')
    .values(images.map(({ sha256, core }) => ({ sha256, core: sql<number>`${String(core)}::bigint` })))
    .onConflict((conflict) => conflict.column('sha256').doNothing())
    .execute();
}
