export type ImageRefusal = 'unsupported_type' | 'too_large' | 'too_many_pixels' | 'corrupt' | 'timeout';

/** The largest accepted file, inclusive: 10 MB. */
export const MAX_IMAGE_BYTES = 10_485_760;
export const MAX_IMAGE_PIXELS = 50_000_000;
const MAX_IMAGE_SIDE = 20_000;

const messages: Record<ImageRefusal, string> = {
  unsupported_type: 'Only jpg, png, webp, heic, heif and avif images are accepted.',
  too_large: 'An image may have at most 10 MB.',
  too_many_pixels: 'An image may have at most 50 megapixels and at most 20,000 pixels on a side.',
  corrupt: 'The image is damaged and cannot be read.',
  timeout: 'The image takes too long to process.',
};

/** An image that is refused for what it is: the message is public, the `cause` is for the log, a retry never helps. */
export class ImageError extends Error {
  readonly reason: ImageRefusal;
  readonly retryable = false;

  constructor(reason: ImageRefusal, cause?: unknown) {
    super(messages[reason], { cause });
    this.name = 'ImageError';
    this.reason = reason;
  }
}

/** Throws `too_many_pixels` unless the image stays inside both limits. */
export function assertPixels(width: number, height: number): void {
  if (width * height > MAX_IMAGE_PIXELS || Math.max(width, height) > MAX_IMAGE_SIDE) {
    throw new ImageError('too_many_pixels', new Error(`${width}x${height}`));
  }
}
