import { invalid } from '../kit/errors.ts';
import type { Tx } from '../queues/jobs.ts';
import type { StoredImage } from './card.ts';

export const MAX_IMAGES = 10;

const ownKey = /^images\/[0-9a-f]{2}\/([0-9a-f]{64})\.webp$/;

/** Where the image made from bytes of that SHA-256 is stored. */
export const imageKeyOf = (sha256: string) => `images/${sha256.slice(0, 2)}/${sha256}.webp`;

export const thumbnailKeyOf = (sha256: string) => `images/${sha256.slice(0, 2)}/${sha256}-thumb.webp`;

/** The SHA-256 that names an image of our own, told by its public address; undefined for any other address. */
export function ownImageOf(url: string, staticUrl: string): string | undefined {
  return url.startsWith(`${staticUrl}/`) ? ownKey.exec(url.slice(staticUrl.length + 1))?.[1] : undefined;
}

/** Which of these images are stored; they cannot be deleted until the transaction ends. */
export async function findStoredImages(tx: Tx, sha256: readonly string[]): Promise<Set<string>> {
  if (sha256.length === 0) return new Set();
  const rows = await tx.selectFrom('images').select('sha256').where('sha256', 'in', sha256).forKeyShare().execute();
  return new Set(rows.map((row) => row.sha256));
}

/** An image of a listing as its client named it: one of ours by its hash, or one to be fetched from somewhere else. */
export type NamedImage = { url: string; alt: string | null; sha256: string | null };

/** Tells our own images from foreign ones; an address of our storage that holds no image is a validation_error. */
export async function resolveImages(
  tx: Tx,
  images: readonly { url: string; alt?: string }[],
  staticUrl: string,
): Promise<NamedImage[]> {
  const named = images.map(({ url, alt }) => ({ url, alt: alt ?? null, sha256: ownImageOf(url, staticUrl) ?? null }));
  const stored = await findStoredImages(
    tx,
    named.flatMap(({ sha256 }) => sha256 ?? []),
  );
  const errors = named.flatMap(({ url, sha256 }, index) => {
    const isMissing = sha256 === null ? url.startsWith(`${staticUrl}/`) : !stored.has(sha256);
    return isMissing ? [{ path: `/body/images/${index}/url`, message: 'is not an image stored here' }] : [];
  });
  if (errors.length > 0) throw invalid('An image does not exist; upload it first.', errors);
  return [...new Map(named.map((image) => [image.sha256 ?? image.url, image])).values()];
}

/** Whether these are the images that a listing shows, with their words and in their order. */
export function isShown(images: readonly StoredImage[], named: readonly NamedImage[]): boolean {
  return (
    images.length === named.length &&
    named.every(({ url, alt, sha256 }, index) => {
      const shown = images[index];
      const isSame = sha256 === null ? shown?.url === url : shown?.key === imageKeyOf(sha256);
      return isSame && (shown?.alt ?? null) === alt;
    })
  );
}

/** Images as listings.images holds them: each once, ten at most. */
export function toStoredImages(images: readonly { sha256: string; alt: string | null }[]): StoredImage[] {
  const byKey = new Map<string, StoredImage>();
  for (const { sha256, alt } of images) {
    const key = imageKeyOf(sha256);
    if (!byKey.has(key)) byKey.set(key, alt === null ? { key } : { key, alt });
  }
  return [...byKey.values()].slice(0, MAX_IMAGES);
}

/**
 * The images of a listing once more images have arrived, each of those once. Images that came from the web stand where
 * their record has them; others, which the seller added, stay where they are, and none is pushed out by what arrives late.
 */
export function arrangeImages(
  current: readonly StoredImage[],
  arrived: readonly { sha256: string; alt: string | null; position: number }[],
): StoredImage[] {
  const positions = new Map(arrived.map(({ sha256, position }) => [imageKeyOf(sha256), position]));
  const known = current.map((image, index) => ({ image, position: positions.get(image.key ?? '') ?? index }));
  const fresh = new Map(arrived.map((image) => [imageKeyOf(image.sha256), image]));
  for (const { key } of current) fresh.delete(key ?? '');
  const added = [...fresh.values()]
    .sort((a, b) => a.position - b.position)
    .slice(0, Math.max(0, MAX_IMAGES - current.length))
    .map(({ sha256, alt, position }) => ({ image: toStoredImages([{ sha256, alt }])[0]!, position }));
  return [...known, ...added].sort((a, b) => a.position - b.position).map(({ image }) => image);
}
