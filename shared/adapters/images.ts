import { createHash } from 'node:crypto';
import PQueue from 'p-queue';
import sharp, { type Sharp } from 'sharp';
import { deadlinesOf, type Deadlines } from '../kit/deadlines.ts';
import { MAX_IMAGE_SIDE, THUMBNAIL_SIDE } from './image-sides.ts';
import { fromPixels, inSeconds, readPixels, release, toPixels, type Pixels } from './images-read.ts';
import { CORE_WINDOW, GREY_SIDE, hashWindow, sumArea, type GreyImage } from './image-windows.ts';

export type ProcessedImage = {
  webp: Buffer;
  thumbnail: Buffer;
  /** Size of `webp` in pixels. */
  width: number;
  height: number;
  dhash: bigint;
  /** Signed 64-bit difference hash of the middle of the image, which stays when its borders are trimmed. */
  core: bigint;
  sha256: string;
};

const MAX_CONCURRENT = 2;
const deadlinesAtOne = deadlinesOf();
/** Half the time of sharp's default effort for 3-6 % more bytes. */
const EFFORT = 2;

sharp.cache(false);
sharp.concurrency(1);

const turns = new PQueue({ concurrency: MAX_CONCURRENT });

/**
 * Turns an untrusted file (jpg, png, webp, heic, heif, avif; the first frame of an animation) into an upright webp of at
 * most 2048 x 2048, a webp thumbnail of at most 400 x 400, both without any metadata, a signed 64-bit difference hash
 * of the image, and the hex SHA-256 of the input. Refuses with an ImageError. Two images are worked at a time; a file
 * given as a function is read when its turn comes.
 */
export function processImage(
  source: Buffer | (() => Promise<Buffer>),
  { signal, deadlines = deadlinesAtOne }: { signal?: AbortSignal; deadlines?: Deadlines } = {},
): Promise<ProcessedImage> {
  return turns.add(() => processNow(source, deadlines, signal));
}

async function processNow(
  source: Buffer | (() => Promise<Buffer>),
  { imageStep, heicDecode }: Deadlines,
  signal?: AbortSignal,
): Promise<ProcessedImage> {
  signal?.throwIfAborted();
  const input = typeof source === 'function' ? await source() : source;
  const pixels = await readPixels(input, MAX_IMAGE_SIDE, { stepMs: imageStep, heicMs: heicDecode }, signal);
  signal?.throwIfAborted();
  const webp = await fromPixels(pixels).webp({ quality: 80, effort: EFFORT }).toBuffer();
  signal?.throwIfAborted();
  const small = await toPixels(
    fromPixels(pixels).resize({
      width: THUMBNAIL_SIDE,
      height: THUMBNAIL_SIDE,
      fit: 'inside',
      withoutEnlargement: true,
    }),
  );
  const thumbnail = await fromPixels(small).webp({ quality: 75, effort: EFFORT }).toBuffer();
  const { width, height } = pixels;
  const sha256 = createHash('sha256').update(input).digest('hex');
  const dhash = await differenceHash(small);
  const core = coreHashOf(await toGrey(fromPixels(small)));
  for (const bytes of [pixels.data, small.data, ...(typeof source === 'function' ? [input] : [])]) release(bytes);
  return { webp, thumbnail, width, height, dhash, core, sha256 };
}

/** A stored image as JPEG of at most that width, for programs that show no WebP; what is transparent becomes white. */
export const toJpeg = (webp: Buffer, maxWidth: number): Promise<Buffer> =>
  turns.add(() =>
    sharp(webp)
      .resize({ width: maxWidth, withoutEnlargement: true })
      .flatten({ background: '#fff' })
      .jpeg({ quality: 80 })
      .timeout(inSeconds(deadlinesAtOne.imageStep))
      .toBuffer(),
  );

/** A stored image, or its thumbnail, as a small grey one: what photos are compared by. */
export const readGrey = (webp: Buffer): Promise<GreyImage> =>
  turns.add(() => toGrey(sharp(webp).timeout(inSeconds(deadlinesAtOne.imageStep))));

async function toGrey(image: Sharp): Promise<GreyImage> {
  const { data, width, height } = await toPixels(
    image.flatten({ background: '#fff' }).greyscale().resize({ width: GREY_SIDE, height: GREY_SIDE, fit: 'inside' }),
  );
  return { data, width, height };
}

/** The difference hash of the core window of a grey image. */
export function coreHashOf(image: GreyImage): bigint {
  const { high, low } = hashWindow(sumArea(image), CORE_WINDOW);
  return BigInt.asIntN(64, (BigInt(high) << 32n) | BigInt(low));
}

/** The number of differing bits, 0-64, of two difference hashes. */
export function hammingDistance(a: bigint, b: bigint): number {
  let difference = BigInt.asUintN(64, a ^ b);
  let count = 0;
  for (; difference !== 0n; difference &= difference - 1n) count += 1;
  return count;
}

/** 64 bits, row by row: is each cell of a 9 x 8 grey version darker than its right neighbour? Even images give 0n. */
async function differenceHash(pixels: Pixels): Promise<bigint> {
  const grey = await fromPixels(pixels)
    .flatten({ background: '#fff' })
    .greyscale()
    .resize({ width: 9, height: 8, fit: 'fill' })
    .raw()
    .toBuffer();
  let hash = 0n;
  for (let row = 0; row < 8; row += 1) {
    for (let column = 0; column < 8; column += 1) {
      const at = row * 9 + column;
      hash = (hash << 1n) | (grey.readUInt8(at) < grey.readUInt8(at + 1) ? 1n : 0n);
    }
  }
  return BigInt.asIntN(64, hash);
}
