import { inTransaction } from '../../db/client.ts';
import { invalid } from '../../shared/kit/errors.ts';
import type { Tx } from '../../shared/queues/jobs.ts';
import type { StoredImage } from '../../shared/listings/card.ts';
import { changeListing, lockOwnListing } from '../../shared/listings/change.ts';
import { imageKeyOf, MAX_IMAGES } from '../../shared/listings/images.ts';
import { storeImages } from '../../shared/listings/images-store.ts';
import type { AuthenticatedHandler } from '../handler.ts';
import { altOf, processUploads, requireImageQuota, useImageQuota } from '../uploads/processed-images.ts';
import { presentImage } from './present.ts';

/**
 * Adds images to the caller's listing, after those it shows: all of them or, when one is refused or they would be more
 * than ten, none. The listing is locked for the count, so parallel additions never pass ten.
 */
export const addListingImages: AuthenticatedHandler<'addListingImages'> = async (services, request) => {
  const { params, files, caller, links } = request;
  const look = (tx: Tx) => lockWithRoom(tx, params.id, caller.userId, files.length);
  await inTransaction(services.db, look, { autonomous: true });
  await requireImageQuota(services, request, files.length);
  const processed = await processUploads(files, services.config.deadlines);
  const added = processed.map(({ sha256 }, index) => ({
    key: imageKeyOf(sha256),
    alt: altOf(files[index]?.name ?? ''),
  }));
  const { listing, images } = await storeImages(services, processed, async (tx) => {
    const { current, ...found } = await look(tx);
    await useImageQuota(tx, services, request, files.length);
    const images: StoredImage[] = [...current, ...added];
    const set = { images: JSON.stringify(images) };
    const listing = await changeListing(
      tx,
      services,
      found.listing,
      { event: 'listing.updated', set },
      { images: current },
    );
    return { listing, images };
  });
  return {
    status: 201,
    body: {
      listing_id: listing.id,
      slug: listing.slug,
      images: images.map((image) => presentImage(image, links)),
      uploaded: added.length,
    },
    effects: { changed: { listings: [listing.id] } },
  };
};

async function lockWithRoom(tx: Tx, idOrSlug: string, userId: string, count: number) {
  const listing = await lockOwnListing(tx, idOrSlug, userId);
  const row = await tx.selectFrom('listings').select('images').where('id', '=', listing.id).executeTakeFirstOrThrow();
  const current = row.images as StoredImage[];
  if (current.length + count > MAX_IMAGES) {
    const limit = Math.max(0, MAX_IMAGES - current.length);
    const message = `may hold at most ${limit} more: the listing has ${current.length} images`;
    throw invalid(`A listing has at most ${MAX_IMAGES} images.`, [
      { path: '/body/files', message, reason: 'too_many', limit },
    ]);
  }
  return { listing, current };
}
