import type { Jobs, Tx } from '../queues/jobs.ts';
import { imageKeyOf, MAX_IMAGES, resolveImages } from '../listings/images.ts';
import type { RentalImage, RentalRow } from './rental.ts';

const hashInKey = /(?<![0-9a-f])([0-9a-f]{64})\.webp$/;

/**
 * The images that a rental is given, as it holds them: our own images by their key, images that it has fetched before
 * too, others to be fetched. An address of our storage that holds no image is a validation_error.
 */
export async function nameRentalImages(
  tx: Tx,
  images: readonly { url: string; alt?: string }[],
  staticUrl: string,
  before: readonly RentalImage[] = [],
): Promise<RentalImage[]> {
  const fetched = new Map(before.map(({ url, key }) => [url, key]));
  const named = await resolveImages(tx, images, staticUrl);
  return onceEach(
    named.map(({ url, alt, sha256 }) => ({
      ...keyOf(sha256 === null ? fetched.get(url) : imageKeyOf(sha256)),
      ...(sha256 === null && { url }),
      ...(alt !== null && { alt }),
    })),
  );
}

/** Enqueues what follows from other images: images to fetch, and images that nothing may show any more. */
export async function enqueueImageJobs(
  tx: Tx,
  jobs: Pick<Jobs, 'enqueue'>,
  { id, images }: Pick<RentalRow, 'id' | 'images'>,
  before: readonly RentalImage[] = [],
): Promise<void> {
  if (images.some(isPending)) await jobs.enqueue(tx, 'localize-rental-images', { rental_id: id }, { key: id });
  const shown = new Set(images.map(({ key }) => key));
  const removed = before.filter(({ key }) => !shown.has(key)).flatMap(({ key = '' }) => hashInKey.exec(key)?.[1] ?? []);
  if (removed.length > 0) await jobs.enqueue(tx, 'delete-pictures', { sha256: removed });
}

/** Whether an image is still to be fetched. */
export const isPending = ({ key, failed }: RentalImage) => key === undefined && failed !== true;

/** The images once what was fetched from `url` is stored under a hash, or, without one, cannot be had. */
export function resolveImage(images: readonly RentalImage[], url: string, sha256: string | undefined): RentalImage[] {
  return onceEach(
    images.map((image) => {
      if (image.url !== url || !isPending(image)) return image;
      return sha256 === undefined ? { ...image, failed: true } : { ...image, key: imageKeyOf(sha256) };
    }),
  );
}

const keyOf = (key: string | undefined) => (key === undefined ? {} : { key });

const onceEach = (images: RentalImage[]) =>
  [...new Map(images.map((image) => [image.key ?? image.url, image])).values()].slice(0, MAX_IMAGES);
