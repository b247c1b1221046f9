import { inTransaction, type Database } from '../../db/client.ts';
import type { Storage } from '../adapters/storage.ts';
import { addMilliseconds, HOUR_MS, type Clock } from '../kit/clock.ts';
import type { Tx } from '../queues/jobs.ts';
import { imageKeyOf, thumbnailKeyOf } from './images.ts';

type ImageStore = { db: Database; storage: Storage; clock: Clock };

/** How long a lease on files lasts: storing takes seconds, so an older one is of a process that died. */
export const LEASE_MS = HOUR_MS;

/**
 * Deletes an image, row first and then files, unless a listing, rental, source or unused upload refers to it; a row never
 * lacks its files. Idempotent. Answers whether the row was deleted.
 */
export async function deleteImage(store: ImageStore, sha256: string): Promise<boolean> {
  const deleted = await inTransaction(store.db, (tx) => deleteRow(tx, sha256));
  await removeLeftover(store, sha256, { olderThan: addMilliseconds(store.clock.now(), -LEASE_MS) });
  return deleted;
}

async function deleteRow(tx: Tx, sha256: string): Promise<boolean> {
  // New references wait for this lock, and find the row gone; those that came before are seen by what follows.
  const row = await tx
    .selectFrom('images')
    .select('sha256')
    .where('sha256', '=', sha256)
    .forUpdate()
    .executeTakeFirst();
  if (!row || (await isReferredTo(tx, sha256))) return false;
  await tx.deleteFrom('images').where('sha256', '=', sha256).execute();
  await tx
    .insertInto('picture_leftovers')
    .values({ sha256 })
    .onConflict((conflict) => conflict.column('sha256').doNothing())
    .execute();
  return true;
}

async function isReferredTo(tx: Tx, sha256: string): Promise<boolean> {
  for (const table of ['picture_uses', 'listing_images', 'uploads'] as const) {
    const found = await tx.selectFrom(table).select('sha256').where('sha256', '=', sha256).limit(1).execute();
    if (found.length > 0) return true;
  }
  return false;
}

/**
 * Deletes the files of an image without a row, unless somebody else leases them; `lease` and leases from before `olderThan`
 * do not count.
 */
export async function removeLeftover(
  { db, storage }: Pick<ImageStore, 'db' | 'storage'>,
  sha256: string,
  { lease, olderThan }: { lease?: string; olderThan?: Date },
): Promise<void> {
  const remove = async (tx: Tx) => {
    const leftover = await tx
      .selectFrom('picture_leftovers')
      .select('sha256')
      .where('sha256', '=', sha256)
      .where((where) =>
        where.or([
          where('lease', 'is', null),
          ...(lease === undefined ? [] : [where('lease', '=', lease)]),
          ...(olderThan === undefined ? [] : [where('leased_at', '<', olderThan)]),
        ]),
      )
      .forUpdate()
      .executeTakeFirst();
    if (!leftover) return;
    const row = await tx.selectFrom('images').select('sha256').where('sha256', '=', sha256).executeTakeFirst();
    if (!row) await storage.delete([imageKeyOf(sha256), thumbnailKeyOf(sha256)]);
    await tx.deleteFrom('picture_leftovers').where('sha256', '=', sha256).execute();
  };
  await inTransaction(db, remove, { autonomous: true });
}
