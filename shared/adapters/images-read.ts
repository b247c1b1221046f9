import { fileTypeFromBuffer } from 'file-type';
import sharp, { type FailOnOptions, type Metadata, type Sharp } from 'sharp';
import { crc32, deflateSync } from 'node:zlib';
import { assertPixels, ImageError, MAX_IMAGE_BYTES, MAX_IMAGE_PIXELS } from './images-error.ts';
import { decodeHeic, heifTurns } from './images-heic.ts';

/** Upright sRGB pixels, 8 bits a channel: 1 grey, 2 grey + alpha, 3 RGB, 4 RGBA. */
export type Pixels = { data: Buffer; width: number; height: number; channels: 1 | 2 | 3 | 4 };

/** The sharp format each accepted magic number must turn out to have. */
const formatOfType = new Map([
  ['image/jpeg', 'jpeg'],
  ['image/png', 'png'],
  ['image/apng', 'png'],
  ['image/webp', 'webp'],
  ['image/avif', 'heif'],
  ['image/heic', 'heif'],
  ['image/heif', 'heif'],
  ['image/heic-sequence', 'heif'],
  ['image/heif-sequence', 'heif'],
]);

/** A time limit as sharp takes it: in whole seconds, at least one. */
export const inSeconds = (ms: number) => ({ seconds: Math.ceil(ms / 1_000) });

/** Complaints of the JPEG decoder about bytes outside the coded image (the markers 0xd0-0xd7 lie inside it). */
const harmless = /extraneous bytes before marker 0x(?!d[0-7])|Invalid SOS parameters|Unknown Adobe color transform/;

/**
 * Reads an untrusted file as pixels of at most `side` x `side`, or throws an ImageError. The rule for damaged files:
 * whatever concerns the image (truncation, decoder errors and warnings) refuses it, whatever concerns its metadata
 * or stray bytes around it does not.
 */
export async function readPixels(
  input: Buffer,
  side: number,
  { stepMs, heicMs }: { stepMs: number; heicMs: number },
  signal?: AbortSignal,
): Promise<Pixels> {
  if (input.length > MAX_IMAGE_BYTES) throw new ImageError('too_large');
  const type = await fileTypeFromBuffer(input);
  const format = type && formatOfType.get(type.mime);
  if (!format) throw new ImageError('unsupported_type', new Error(type?.mime ?? 'unknown magic number'));

  // Only the header is read here, so a bomb is refused before one of its pixels is decoded.
  const header = await sharp(input, { limitInputPixels: false, failOn: 'error' }).metadata().catch(refuse);
  if (header.format !== format) throw new ImageError('unsupported_type', new Error(`${type.mime} is ${header.format}`));
  assertPixels(header.width, header.height);
  signal?.throwIfAborted();

  const shrink = (image: Sharp) =>
    toPixels(
      image
        .resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true })
        .toColourspace('srgb')
        .timeout(inSeconds(stepMs)),
    );
  if (header.compression === 'hevc') return readHeic(input, header, shrink, { withinMs: heicMs, signal });
  const read = (failOn: FailOnOptions) =>
    shrink(sharp(input, { limitInputPixels: MAX_IMAGE_PIXELS, failOn, sequentialRead: true }).autoOrient());
  if (format === 'heif') return heifTurns.add(() => read('warning')).catch(refuse);
  return read('warning')
    .catch((error: unknown) => {
      if (isHarmless(error)) return read('error');
      throw error;
    })
    .catch(refuse);
}

async function readHeic(
  input: Buffer,
  header: Metadata,
  shrink: (image: Sharp) => Promise<Pixels>,
  limits: { withinMs: number; signal: AbortSignal | undefined },
): Promise<Pixels> {
  const { width, height, rgba } = await decodeHeic({ input, page: header.pagePrimary ?? 0 }, limits);
  const image = sharp(rgba, { raw: { width, height, channels: 4 }, limitInputPixels: MAX_IMAGE_PIXELS });
  const pixels = await shrink(header.hasAlpha ? image : image.removeAlpha()).catch(refuse);
  release(rgba);
  return header.icc ? toSrgb(pixels, header.icc) : pixels;
}

/** Converts pixels that are coded in the given ICC profile to sRGB. */
export async function toSrgb(pixels: Pixels, profile: Buffer): Promise<Pixels> {
  // sharp takes an input profile only from a file, so the raw pixels go through an uncompressed PNG that carries it.
  const png = await fromPixels(pixels).png({ compressionLevel: 0 }).toBuffer();
  const afterHeader = 8 + 25;
  const tagged = Buffer.concat([png.subarray(0, afterHeader), profileChunk(profile), png.subarray(afterHeader)]);
  return toPixels(sharp(tagged, { limitInputPixels: MAX_IMAGE_PIXELS }).toColourspace('srgb'));
}

function profileChunk(profile: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from('iCCPicc\0\0', 'latin1'), deflateSync(profile)]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(body.length - 4);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
}

/** A sharp pipeline that starts from pixels. */
export function fromPixels({ data, width, height, channels }: Pixels): Sharp {
  return sharp(data, { raw: { width, height, channels } });
}

/** The pixels that a sharp pipeline ends with. */
export async function toPixels(image: Sharp): Promise<Pixels> {
  const { data, info } = await image.raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height, channels: info.channels };
}

const LARGE = 65_536;

/**
 * Gives the memory of a large buffer that nobody reads any more back at once, not when it is collected: two photos of 6
 * megapixels at a time take at most 260 MB so, 307 without (`npm run bench -- images` prints the peak).
 */
export function release(bytes: Uint8Array | Uint8ClampedArray): void {
  const { buffer, byteLength } = bytes;
  if (byteLength < LARGE || buffer.byteLength !== byteLength || !(buffer instanceof ArrayBuffer)) return;
  buffer.transfer(0);
}

const isHarmless = (error: unknown) =>
  error instanceof Error && error.message.split('\n').every((line) => harmless.test(line));

function refuse(error: unknown): never {
  const text = error instanceof Error ? error.message : String(error);
  if (/timeout/i.test(text)) throw new ImageError('timeout', error);
  if (/pixel limit|security limit/i.test(text)) throw new ImageError('too_many_pixels', error);
  if (/unsupported image format/i.test(text)) throw new ImageError('unsupported_type', error);
  throw new ImageError('corrupt', error);
}
