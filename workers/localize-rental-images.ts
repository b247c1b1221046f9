import { inTransaction } from '../db/client.ts';
import { MINUTE_MS } from '../shared/kit/clock.ts';
import type { JobHandler } from '../shared/queues/runner.ts';
import type { Tx } from '../shared/queues/jobs.ts';
import { queueOf } from '../shared/queues/queues.ts';
import { isPending, resolveImage } from '../shared/rentals/images.ts';
import { findRental, lockRental, recordRentalChange } from '../shared/rentals/rental.ts';
import { download, faultOf, storeImage, Unavailable } from './localize-images.ts';
import type { WorkerServices } from './services.ts';

/** Well before the job expires; what is left then waits for the next try. */
const TIME_LIMIT_MS = 8 * MINUTE_MS;

/**
 * Fetches the images that a rental is waiting for, one after the other, and shows each as soon as it is stored. What is gone,
 * refused or no image is given up; what may come later is tried again with back-off. Repeating it changes nothing.
 */
export const localizeRentalImages: JobHandler<WorkerServices, 'localize-rental-images'> = async (
  services,
  { rental_id: id },
  context,
) => {
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(TIME_LIMIT_MS)]);
  const isLast = context.attempt >= queueOf('localize-rental-images').retryLimit;
  const rental = await findRental(services.db, id);
  const later: string[] = [];
  for (const { url = '' } of (rental?.images ?? []).filter(isPending)) {
    try {
      signal.throwIfAborted();
      const show = async (tx: Tx, sha256: string) => {
        if (!(await settle(tx, services, id, { url, sha256 }))) throw new Unavailable('The rental is gone.', true);
      };
      await storeImage(services, await download(services, url, signal), show, signal);
    } catch (error) {
      const fault = signal.aborted ? undefined : faultOf(error);
      if (!fault && !signal.aborted) throw error;
      if (fault && (fault.isFinal || isLast)) await giveUp(services, id, url);
      else later.push(fault?.message ?? 'there was no time left');
    }
  }
  context.signal.throwIfAborted();
  if (later.length > 0) throw new Error(`${later.length} images may come later: ${later[0]}`);
};

const giveUp = (services: WorkerServices, rentalId: string, url: string) =>
  inTransaction(services.db, (tx) => settle(tx, services, rentalId, { url, sha256: undefined }));

async function settle(
  tx: Tx,
  { clock }: WorkerServices,
  rentalId: string,
  { url, sha256 }: { url: string; sha256: string | undefined },
): Promise<boolean> {
  const { images, status } = await lockRental(tx, rentalId, { lock: 'change', deletedToo: true });
  if (status === 'deleted' || !images.some((image) => image.url === url && isPending(image))) return false;
  const now = clock.now();
  await tx
    .updateTable('rentals')
    .set({ images: JSON.stringify(resolveImage(images, url, sha256)), updated_at: now })
    .where('id', '=', rentalId)
    .execute();
  await recordRentalChange(tx, now, rentalId);
  return true;
}
