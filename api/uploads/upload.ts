import { imageKeyOf } from '../../shared/listings/images.ts';
import { storeImages } from '../../shared/listings/images-store.ts';
import type { AuthenticatedHandler } from '../handler.ts';
import { altOf, processUploads, requireImageQuota, useImageQuota } from './processed-images.ts';

/** Stores one image for its uploader to use; a refused one uses no quota and leaves nothing behind. */
export const uploadImage: AuthenticatedHandler<'uploadImage'> = async (services, request) => {
  const { files, body, caller, links } = request;
  await requireImageQuota(services, request, files.length);
  const images = await processUploads(files, services.config.deadlines);
  await storeImages(services, images, async (tx) => {
    const created_at = services.clock.now();
    await tx
      .insertInto('uploads')
      .values(images.map(({ sha256 }) => ({ sha256, user_id: caller.userId, created_at })))
      .onConflict((conflict) => conflict.columns(['sha256', 'user_id']).doUpdateSet({ created_at }))
      .execute();
    await useImageQuota(tx, services, request, files.length);
  });
  const [{ name }] = files;
  const url = images.map(({ sha256 }) => `${links.static}/${imageKeyOf(sha256)}`).join();
  return { status: 201, body: { url, alt: body.alt ?? altOf(name) } };
};
