import type { JobHandler } from '../shared/queues/runner.ts';
import { deleteImage } from '../shared/listings/images-delete.ts';
import type { WorkerServices } from './services.ts';

/** Deletes those of these images that nothing refers to any more, with their files. */
export const deletePictures: JobHandler<WorkerServices, 'delete-pictures'> = async (
  services,
  { sha256: hashes },
  { signal },
) => {
  let deleted = 0;
  for (const sha256 of hashes) {
    signal.throwIfAborted();
    if (await deleteImage(services, sha256)) deleted += 1;
  }
  return { deleted };
};
