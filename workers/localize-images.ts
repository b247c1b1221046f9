import { createHash } from 'node:crypto';
import { inTransaction } from '../db/client.ts';
import { FetchError } from '../shared/adapters/fetch-guard.ts';
import { processImage } from '../shared/adapters/images.ts';
import { ImageError, MAX_IMAGE_BYTES } from '../shared/adapters/images-error.ts';
import { MINUTE_MS } from '../shared/kit/clock.ts';
import type { JobContext, JobHandler } from '../shared/queues/runner.ts';
import type { Tx } from '../shared/queues/jobs.ts';
import { findStoredImages, MAX_IMAGES } from '../shared/listings/images.ts';
import {
  dropNeedless,
  markFailed,
  markStored,
  noteAttempt,
  readPending,
  showStoredImages,
  type PendingImage,
} from '../shared/listings/images-pending.ts';
import { storeImages } from '../shared/listings/images-store.ts';
import { queueOf } from '../shared/queues/queues.ts';
import type { WorkerServices } from './services.ts';

const AT_ONCE = 2;
/** Well before the job expires; what is left then waits for the next try. */
const TIME_LIMIT_MS = 8 * MINUTE_MS;
const IMAGE_TYPES = 'image/avif,image/webp,image/jpeg,image/png,image/heic,image/heif,*/*;q=0.5';
/** Answers that say "later" rather than "no". */
const passingStatuses = new Set([408, 425, 429]);

/** An image that cannot be had, now or ever. */
export class Unavailable extends Error {
  readonly isFinal: boolean;

  constructor(message: string, isFinal: boolean) {
    super(message);
    this.isFinal = isFinal;
  }
}

/**
 * Fetches the images that a listing is waiting for, best first, until it has ten, and shows them in the listing. What is
 * gone, refused or no image is marked as failed; what may come later is tried again with back-off, and marked as failed
 * when the last try is over. Every image counts once, however often this is repeated or killed.
 */
export const localizeImages: JobHandler<WorkerServices, 'localize-images'> = async (
  services,
  { listing_id: listingId },
  context,
) => {
  const deadline = AbortSignal.any([context.signal, AbortSignal.timeout(TIME_LIMIT_MS)]);
  let later: string[] = [];
  // Twins among the first ten make room for others, and a record may have brought new ones meanwhile.
  for (
    let pending = await readPending(services.db, listingId);
    pending.length > 0;
    pending = await readPending(services.db, listingId)
  ) {
    later = await localizeAll(services, pending, { ...context, signal: deadline });
    if (later.length > 0) break;
  }
  await showStoredImages(services, listingId);
  context.signal.throwIfAborted();
  if (later.length > 0) throw new Error(`${later.length} images may come later: ${later[0]}`);
};

/** Works through the images, a few at a time; answers why those are missing that may come later. */
async function localizeAll(
  services: WorkerServices,
  pending: readonly PendingImage[],
  context: JobContext,
): Promise<string[]> {
  const later: string[] = [];
  const queue = [...pending];
  let missing = MAX_IMAGES - (pending[0]?.stored ?? 0);
  const work = async () => {
    while (missing > 0) {
      const image = queue.shift();
      if (!image) return;
      missing -= 1;
      const reason = context.signal.aborted ? 'there was no time left' : await localize(services, image, context);
      if (reason === 'stored') continue;
      missing += 1;
      if (reason !== 'failed') later.push(reason);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  // A listing that has all it can show has no use for the rest of a long list.
  await dropNeedless(services.db, queue);
  return later;
}

async function localize(
  services: WorkerServices,
  image: PendingImage,
  { signal, attempt, log }: JobContext,
): Promise<string> {
  const { db, clock } = services;
  try {
    const bytes = await download(services, image.source_url, signal);
    const note = async (tx: Tx, sha256: string) => {
      if (!(await markStored(tx, image, sha256, clock.now()))) throw new Unavailable('The listing is gone.', true);
    };
    await storeImage(services, bytes, note, signal);
    return 'stored';
  } catch (error) {
    if (signal.aborted) return 'there was no time left';
    const fault = faultOf(error);
    if (!fault) throw error;
    const isLast = attempt >= queueOf('localize-images').retryLimit;
    log.debug({ url: image.source_url, reason: fault.message, final: fault.isFinal || isLast }, 'image not stored');
    if (fault.isFinal || isLast) {
      await markFailed(db, image, fault.message, clock.now());
      return 'failed';
    }
    await noteAttempt(db, image, fault.message, clock.now());
    return fault.message;
  }
}

/** The bytes behind the URL of an image; an answer that is none throws Unavailable. */
export async function download({ fetch }: WorkerServices, url: string, signal: AbortSignal): Promise<Buffer> {
  const { status, body } = await fetch.fetch(url, {
    signal,
    deadline: 'image',
    maxBytes: MAX_IMAGE_BYTES,
    accept: IMAGE_TYPES,
  });
  if (status >= 200 && status < 300) return body;
  throw new Unavailable(`The server answered ${status}.`, status < 500 && !passingStatuses.has(status));
}

/**
 * Stores an image, unless it is there already, and notes it in the same transaction: when `note` throws, nothing stays.
 */
export async function storeImage(
  services: WorkerServices,
  bytes: Buffer,
  note: (tx: Tx, sha256: string) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const isKnown = await inTransaction(services.db, async (tx) => {
    const known = await findStoredImages(tx, [sha256]);
    if (known.has(sha256)) await note(tx, sha256);
    return known.has(sha256);
  });
  if (!isKnown)
    await storeImages(services, [await processImage(bytes, { signal, deadlines: services.config.deadlines })], (tx) =>
      note(tx, sha256),
    );
}

/** What is wrong with the image or its server; undefined for faults of our own, which the whole job is repeated for. */
export function faultOf(error: unknown): Unavailable | undefined {
  if (error instanceof Unavailable) return error;
  if (error instanceof ImageError) return new Unavailable(error.message, true);
  if (error instanceof FetchError) return new Unavailable(error.message, !error.retryable);
  return undefined;
}
