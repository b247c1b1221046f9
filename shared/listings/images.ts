import { sql, type Kysely } from 'kysely';
import type { DB } from '../../db/types.gen.ts';
import { processImage } from '../adapters/images.ts';
import { IMMUTABLE, type Storage } from '../adapters/storage.ts';
import { invalid } from '../errors.ts';
import type { StoredImage } from './card.ts';

export const MAX_IMAGES = 10;

const WEBP = { contentType: 'image/webp', cacheControl: IMMUTABLE };
const ownKey = /^images\/[0-9a-f]{2}\/([0-9a-f]{64})\.webp$/;

/** Where the picture made from bytes of that SHA-256 is stored. */
export const imageKeyOf = (sha256: string) => `images/${sha256.slice(0, 2)}/${sha256}.webp`;

export const thumbnailKeyOf = (sha256: string) => `images/${sha256.slice(0, 2)}/${sha256}-thumb.webp`;

/** The SHA-256 that names a picture of our own, told by its public address; undefined for any other address. */
export function ownImageOf(url: string, staticUrl: string): string | undefined {
  return url.startsWith(`${staticUrl}/`) ? ownKey.exec(url.slice(staticUrl.length + 1))?.[1] : undefined;
}

/**
 * Stores the picture in these bytes as WebP with a thumbnail, the same bytes once however often they come: repeating it
 * after a crash ends the same. Answers the SHA-256 it is known by. Throws an ImageError for bytes that are no picture.
 */
export async function storePicture(
  { db, storage }: { db: Kysely<DB>; storage: Storage },
  bytes: Buffer,
  now: Date,
  signal?: AbortSignal,
): Promise<string> {
  const picture = await processImage(bytes, { signal });
  const { sha256, webp, thumbnail, width, height, dhash } = picture;
  const [storage_key, thumbnail_key] = [imageKeyOf(sha256), thumbnailKeyOf(sha256)];
  await Promise.all([storage.put(storage_key, webp, WEBP), storage.put(thumbnail_key, thumbnail, WEBP)]);
  await db
    .insertInto('images')
    .values({
      sha256,
      storage_key,
      thumbnail_key,
      width,
      height,
      bytes: webp.length,
      dhash: sql<number>`${String(dhash)}::bigint`,
      created_at: now,
    })
    .onConflict((conflict) => conflict.column('sha256').doNothing())
    .execute();
  return sha256;
}

/** Which of these pictures are stored. */
export async function findStoredPictures(db: Kysely<DB>, sha256: readonly string[]): Promise<Set<string>> {
  if (sha256.length === 0) return new Set();
  const rows = await db.selectFrom('images').select('sha256').where('sha256', 'in', sha256).execute();
  return new Set(rows.map((row) => row.sha256));
}

/** An image of a listing as its client named it: one of ours by its hash, or one to be fetched from somewhere else. */
export type NamedImage = { url: string; alt: string | null; sha256: string | null };

/** Tells our own pictures from foreign ones; an address of our storage that holds no picture is a validation_error. */
export async function resolveImages(
  db: Kysely<DB>,
  images: readonly { url: string; alt?: string }[],
  staticUrl: string,
): Promise<NamedImage[]> {
  const named = images.map(({ url, alt }) => ({ url, alt: alt ?? null, sha256: ownImageOf(url, staticUrl) ?? null }));
  const stored = await findStoredPictures(
    db,
    named.flatMap(({ sha256 }) => sha256 ?? []),
  );
  const errors = named.flatMap(({ url, sha256 }, index) => {
    const isMissing = sha256 === null ? url.startsWith(`${staticUrl}/`) : !stored.has(sha256);
    return isMissing ? [{ path: `/body/images/${index}/url`, message: 'is not an image stored here' }] : [];
  });
  if (errors.length > 0) throw invalid('An image does not exist; upload it first.', errors);
  return [...new Map(named.map((image) => [image.sha256 ?? image.url, image])).values()];
}

/** Pictures as listings.images holds them: each once, ten at most. */
export function toStoredImages(pictures: readonly { sha256: string; alt: string | null }[]): StoredImage[] {
  const byKey = new Map<string, StoredImage>();
  for (const { sha256, alt } of pictures) {
    const key = imageKeyOf(sha256);
    if (!byKey.has(key)) byKey.set(key, alt === null ? { key } : { key, alt });
  }
  return [...byKey.values()].slice(0, MAX_IMAGES);
}

/**
 * The images of a listing once more pictures have arrived. Pictures that came from the web stand where their record has
 * them; others, which the seller added, stay where they are.
 */
export function arrangeImages(
  current: readonly StoredImage[],
  arrived: readonly { sha256: string; alt: string | null; position: number }[],
): StoredImage[] {
  const positions = new Map(arrived.map(({ sha256, position }) => [imageKeyOf(sha256), position]));
  const known = current.map((image, index) => ({ image, position: positions.get(image.key ?? '') ?? index }));
  const present = new Set(current.map(({ key }) => key));
  const added = arrived
    .filter(({ sha256 }) => !present.has(imageKeyOf(sha256)))
    .map(({ sha256, alt, position }) => ({ image: toStoredImages([{ sha256, alt }])[0]!, position }));
  const ordered = [...known, ...added].sort((a, b) => a.position - b.position).map(({ image }) => image);
  return [...new Map(ordered.map((image) => [image.key ?? image.url, image])).values()].slice(0, MAX_IMAGES);
}
