import type { Services } from '../services.ts';
import type { ProcessedImage } from '../../shared/adapters/images.ts';
import { ImageError } from '../../shared/adapters/images-error.ts';
import type { Deadlines } from '../../shared/kit/deadlines.ts';
import { invalid } from '../../shared/kit/errors.ts';
import type { Tx } from '../../shared/queues/jobs.ts';
import { consumeQuota } from '../../shared/profiles/quotas.ts';
import type { UploadedFile } from '../http/multipart.ts';

type Uploader = { caller: { userId: string; role: string }; ip: string };
type Dependencies = Pick<Services, 'profile' | 'clock' | 'config' | 'db'>;

const MAX_ALT_LENGTH = 300;

/** Makes images of the files, one after the other; the first that is none of the accepted types is a validation_error. */
export async function processUploads(files: readonly UploadedFile[], deadlines: Deadlines): Promise<ProcessedImage[]> {
  // It brings sharp and its libvips, which no process needs before its first upload.
  const { processImage } = await import('../../shared/adapters/images.ts');
  const images: ProcessedImage[] = [];
  for (const [index, file] of files.entries()) {
    try {
      images.push(await processImage(file.read, { deadlines }));
    } catch (error) {
      if (!(error instanceof ImageError)) throw error;
      const path = `/body/${file.field}${files.length > 1 ? `/${index}` : ''}`;
      throw invalid('A file is not an image that can be used.', [
        { path, message: error.message, reason: error.reason === 'too_large' ? 'file_too_large' : 'bad_image' },
      ]);
    }
  }
  return images;
}

/** Uses the daily quota of images in the transaction that stores them. Every file counts, also one that was sent before. */
export function useImageQuota(
  tx: Tx,
  { profile, clock, config }: Dependencies,
  { caller, ip }: Uploader,
  count: number,
): Promise<void> {
  const subjects = { user: caller.userId, ip, admin: caller.role === 'admin' };
  const rules = profile.quotas.image_upload;
  const multiplier = config.rateLimitMultiplier;
  return consumeQuota(tx, { quota: 'image_upload', rules, subjects, count, multiplier }, clock.now());
}

/** 429 when the quota is not enough, and uses none: nobody is worked for who cannot store the result. */
export async function requireImageQuota(services: Dependencies, uploader: Uploader, count: number): Promise<void> {
  const trial = await services.db.startTransaction().execute();
  try {
    await useImageQuota(trial, services, uploader, count);
  } finally {
    await trial.rollback().execute();
  }
}

/** A text for an image that came without one: the name of its file as words. */
export function altOf(fileName: string): string {
  const words = fileName
    .replace(/^.*[\\/]/, '')
    .replace(/\.[a-z\d]{1,5}$/i, '')
    .replaceAll(/[\p{C}\ufffd_+]+/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return [...words].slice(0, MAX_ALT_LENGTH).join('') || 'Image';
}
