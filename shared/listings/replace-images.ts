import { writeImages } from './store-images.ts';
import type { Tx } from '../queues/jobs.ts';
import type { StoredImage } from './card.ts';
import { toStoredImages, type NamedImage } from './images.ts';

const hashInKey = /(?<![0-9a-f])([0-9a-f]{64})\.webp$/;

/** The images of a listing after they were replaced. */
export type ReplacedImages = {
  /** What the listing shows now: those that are stored here already. */
  images: StoredImage[];
  /** Whether some are still to be fetched. */
  isPending: boolean;
  /** The images that the listing has no use for any more. */
  removed: string[];
};

/** The SHA-256 of every image that a listing shows or has fetched. */
export async function imageHashesOf(tx: Tx, listingId: string): Promise<string[]> {
  const { images } = await tx
    .selectFrom('listings')
    .select('images')
    .where('id', '=', listingId)
    .executeTakeFirstOrThrow();
  const fetched = await tx
    .selectFrom('listing_images')
    .select('sha256')
    .where('listing_id', '=', listingId)
    .where('sha256', 'is not', null)
    .execute();
  const shown = (images as StoredImage[]).flatMap(({ key = '' }) => hashInKey.exec(key)?.[1] ?? []);
  return [...new Set([...shown, ...fetched.flatMap(({ sha256 }) => sha256 ?? [])])];
}

/**
 * Replaces the images that a locked listing names. One fetched before is shown at once; one that failed is tried again.
 * listings.images is left to the caller.
 */
export async function replaceImages(
  tx: Tx,
  listingId: string,
  named: readonly NamedImage[],
  now: Date,
): Promise<ReplacedImages> {
  const before = await imageHashesOf(tx, listingId);
  const known = await tx
    .selectFrom('listing_images')
    .select(['source_url', 'sha256'])
    .where('listing_id', '=', listingId)
    .execute();
  const fetched = new Map(known.map(({ source_url, sha256 }) => [source_url, sha256]));
  const rows = named.map(({ url, alt, sha256: own }, position) => {
    const sha256 = own ?? fetched.get(url) ?? null;
    return { listing_id: listingId, source_url: url, position, alt, status: sha256 ? 'stored' : 'pending', sha256 };
  });
  const urls = new Set(rows.map(({ source_url }) => source_url));
  const dropped = [...fetched.keys()].filter((url) => !urls.has(url));
  await writeImages(tx, [{ listingId, named: rows, dropped, images: null }], now);
  const kept = rows.flatMap(({ sha256, alt }) => (sha256 === null ? [] : [{ sha256, alt }]));
  const inUse = new Set(kept.map(({ sha256 }) => sha256));
  return {
    images: toStoredImages(kept),
    isPending: kept.length < rows.length,
    removed: before.filter((sha256) => !inUse.has(sha256)),
  };
}
