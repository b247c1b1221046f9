import { readFile } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { crc32, deflateSync } from 'node:zlib';
import sharp, { type Sharp } from 'sharp';
import { describe, expect, test } from 'vitest';
import { ImageError, MAX_IMAGE_BYTES } from '../../../shared/adapters/images-error.ts';
import { toSrgb } from '../../../shared/adapters/images-read.ts';
import { hammingDistance, processImage } from '../../../shared/adapters/images.ts';
import { meetsExpectation, parseManifest } from '../../bench/images.ts';
import { dataFile } from '../../support/data.ts';

/** A reproducible image: a red upper left quarter on smooth gradients. */
function picture(width = 120, height = 80, channels: 3 | 4 = 3): Sharp {
  const data = Buffer.alloc(width * height * channels);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const isCorner = x < width / 2 && y < height / 2;
      const pixel = isCorner ? [255, 0, 0, 255] : [0, (200 * x) / width, (250 * y) / height, 128];
      for (let at = 0; at < channels; at += 1) data[(y * width + x) * channels + at] = pixel[at] ?? 0;
    }
  }
  return sharp(data, { raw: { width, height, channels } });
}

async function refusal(input: Buffer): Promise<string> {
  const error: unknown = await processImage(input).catch((reason: unknown) => reason);
  if (error instanceof ImageError) return error.reason;
  throw new Error('it was not refused', { cause: error });
}

async function pixelAt(image: Buffer, x: number, y: number): Promise<number[]> {
  const { data, info } = await sharp(image).raw().toBuffer({ resolveWithObject: true });
  return [...data.subarray((y * info.width + x) * info.channels, (y * info.width + x + 1) * info.channels)];
}

function png(width: number, height: number): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    checksum.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, checksum]);
  };
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 2, 0, 0, 0]);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  const signature = Buffer.from('89504e470d0a1a0a', 'hex');
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.alloc(9))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

const red = (pixel: number[]) => (pixel[0] ?? 0) > 200 && (pixel[1] ?? 0) < 60 && (pixel[2] ?? 0) < 60;

const formats: Record<string, () => Promise<Buffer>> = {
  jpg: () => picture().jpeg().toBuffer(),
  'progressive jpg': () => picture().jpeg({ progressive: true }).toBuffer(),
  'grey jpg': () => picture().greyscale().jpeg().toBuffer(),
  'CMYK jpg': () => picture().toColourspace('cmyk').jpeg().toBuffer(),
  png: () => picture().png().toBuffer(),
  'png with a palette': () => picture().png({ palette: true }).toBuffer(),
  'png with alpha': () => picture(120, 80, 4).png().toBuffer(),
  '16-bit png': () => picture().toColourspace('rgb16').png().toBuffer(),
  webp: () => picture().webp().toBuffer(),
  'lossless webp with alpha': () => picture(120, 80, 4).webp({ lossless: true }).toBuffer(),
  avif: () => picture().avif({ effort: 0 }).toBuffer(),
};

test.each(Object.keys(formats))('%s becomes webp and a webp thumbnail of the same picture', async (name) => {
  const input = (await formats[name]?.()) ?? Buffer.alloc(0);
  const image = await processImage(input);
  expect(image).toMatchObject({ width: 120, height: 80, sha256: createHash('sha256').update(input).digest('hex') });
  for (const output of [image.webp, image.thumbnail]) {
    expect(await sharp(output).metadata()).toMatchObject({
      format: 'webp',
      width: 120,
      height: 80,
      hasAlpha: name.endsWith('alpha'),
    });
  }
  expect(name === 'grey jpg' || red(await pixelAt(image.webp, 20, 20))).toBe(true);
  const original = await processImage(await picture().png().toBuffer());
  expect(hammingDistance(image.dhash, original.dhash)).toBeLessThanOrEqual(name.endsWith('alpha') ? 20 : 4);
});

test('large pictures shrink to 2048 and 400 pixels on the longer side, small ones stay', async () => {
  const image = await processImage(await picture(3000, 1000).jpeg().toBuffer());
  expect([image.width, image.height]).toEqual([2048, 683]);
  expect(await sharp(image.webp).metadata()).toMatchObject({ width: 2048, height: 683 });
  expect(await sharp(image.thumbnail).metadata()).toMatchObject({ width: 400, height: 133 });
  expect(await processImage(await picture(1, 1).png().toBuffer())).toMatchObject({ width: 1, height: 1 });
});

/** How an upright image has to be stored for each orientation: turned clockwise, then mirrored. */
const stored: Record<number, { turn: number; mirror?: 'flip' | 'flop' }> = {
  1: { turn: 0 },
  2: { turn: 0, mirror: 'flop' },
  3: { turn: 180 },
  4: { turn: 0, mirror: 'flip' },
  5: { turn: 90, mirror: 'flop' },
  6: { turn: 270 },
  7: { turn: 90, mirror: 'flip' },
  8: { turn: 90 },
};

test.each(Object.keys(stored).map(Number))('EXIF orientation %d comes out upright', async (orientation) => {
  const { turn = 0, mirror } = stored[orientation] ?? {};
  const turned = sharp(await picture().rotate(turn).png().toBuffer());
  const mirrored = mirror ? turned[mirror]() : turned;
  const image = await processImage(await mirrored.withMetadata({ orientation }).jpeg({ quality: 95 }).toBuffer());
  expect([image.width, image.height]).toEqual([120, 80]);
  expect(red(await pixelAt(image.webp, 10, 10))).toBe(true);
  expect(red(await pixelAt(image.thumbnail, 110, 70))).toBe(false);
});

test('no EXIF, GPS, XMP, IPTC, ICC or orientation leaves with the picture', async () => {
  const input = await picture()
    .withMetadata({ orientation: 6 })
    .withExif({ IFD0: { Copyright: 'somebody' }, IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 0/1' } })
    .withXmp('<x:xmpmeta xmlns:x="adobe:ns:meta/"><secret/></x:xmpmeta>')
    .withIccProfile('p3')
    .jpeg()
    .toBuffer();
  expect(await sharp(input).metadata()).toMatchObject({
    exif: expect.any(Buffer),
    xmp: expect.any(Buffer),
    icc: expect.any(Buffer),
  });
  const { webp, thumbnail } = await processImage(input);
  for (const output of [webp, thumbnail]) {
    const { exif, xmp, icc, iptc, orientation } = await sharp(output).metadata();
    expect([exif, xmp, icc, iptc, orientation]).toEqual([undefined, undefined, undefined, undefined, undefined]);
    expect(output.includes('somebody')).toBe(false);
  }
});

test('wide-gamut pixels keep their colour', async () => {
  const wide = await sharp({ create: { width: 8, height: 8, channels: 3, background: '#c86432' } })
    .withIccProfile('p3')
    .png()
    .toBuffer();
  const profile = (await sharp(wide).metadata()).icc ?? Buffer.alloc(0);
  const { data, info } = await sharp(wide, { ignoreIcc: true }).raw().toBuffer({ resolveWithObject: true });
  const coded = { data, width: info.width, height: info.height, channels: info.channels };
  const converted = await toSrgb(coded, profile);
  const far = (pixels: Buffer) => Math.max(...[200, 100, 50].map((value, at) => Math.abs(value - (pixels[at] ?? 0))));
  expect(far(coded.data)).toBeGreaterThan(8);
  expect(far(converted.data)).toBeLessThan(3);
  expect((await toSrgb(coded, Buffer.from('not a profile'))).data.equals(coded.data)).toBe(true);
});

test('of an animation the first frame is taken', async () => {
  const frames = await Promise.all(
    ['#ff0000', '#0000ff'].map((background) =>
      sharp({ create: { width: 32, height: 32, channels: 3, background } })
        .png()
        .toBuffer(),
    ),
  );
  const animation = await sharp(frames, { join: { animated: true } })
    .webp({ loop: 0 })
    .toBuffer();
  expect((await sharp(animation).metadata()).pages).toBe(2);
  const image = await processImage(animation);
  expect([image.width, image.height]).toEqual([32, 32]);
  expect(red(await pixelAt(image.webp, 16, 16))).toBe(true);
  expect((await sharp(image.webp).metadata()).pages ?? 1).toBe(1);
});

const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><script>alert(1)</script></svg>';

test.each([
  ['nothing', async () => Buffer.alloc(0)],
  ['text', async () => Buffer.from('hello')],
  ['html', async () => Buffer.from('<!doctype html><script>alert(1)</script>')],
  ['svg', async () => Buffer.from(svg)],
  ['svg with an XML declaration', async () => Buffer.from(`<?xml version="1.0"?>${svg}`)],
  ['pdf', async () => Buffer.from('%PDF-1.7\n%âãÏÓ\n1 0 obj\n<<>>\nendobj\n')],
  ['zip', async () => Buffer.from('504b0304140000000000', 'hex')],
  ['gif', () => picture().gif().toBuffer()],
  [
    'gif and script',
    async () => Buffer.concat([Buffer.from('GIF89a/*'), Buffer.alloc(50), Buffer.from('*/=alert(1)')]),
  ],
  ['tiff', () => picture().tiff().toBuffer()],
  ['mp4', async () => Buffer.from('00000018667479706d703432000000006d70343269736f6d', 'hex')],
])('%s is refused as unsupported', async (_name, make) => {
  expect(await refusal(await make())).toBe('unsupported_type');
});

test('a picture with something behind it is stored without the tail', async () => {
  const image = await processImage(
    Buffer.concat([await picture().jpeg().toBuffer(), Buffer.from('<script>alert(1)</script>')]),
  );
  expect(image.webp.includes('script')).toBe(false);
});

test('10 MB is accepted, one byte more is not', async () => {
  const jpeg = await picture().jpeg().toBuffer();
  const padded = (size: number) => Buffer.concat([jpeg, Buffer.alloc(size - jpeg.length)]);
  expect(await processImage(padded(MAX_IMAGE_BYTES))).toMatchObject({ width: 120 });
  expect(await refusal(padded(MAX_IMAGE_BYTES + 1))).toBe('too_large');
});

test.each([
  [16_000, 16_000],
  [30_000, 30_000],
  [65_535, 1],
  [1, 20_001],
  [7_072, 7_071],
])('a header of %d x %d pixels is refused before decoding', async (width, height) => {
  // Nothing follows the header: what is decoded is corrupt.
  expect(await refusal(png(width, height))).toBe('too_many_pixels');
});

test('a header of just 50 megapixels is decoded', async () => {
  expect(await refusal(png(7_071, 7_071))).toBe('corrupt');
});

test('a truncated picture is refused, and never crashes the process', async () => {
  for (const make of [formats['jpg'], formats['progressive jpg'], formats['png'], formats['webp'], formats['avif']]) {
    const whole = (await make?.()) ?? Buffer.alloc(0);
    for (const share of [0.1, 0.5, 0.9]) {
      expect(await refusal(whole.subarray(0, Math.floor(whole.length * share)))).toBe('corrupt');
    }
  }
});

test('damage in the coded picture is refused, stray bytes in front of a marker are not', async () => {
  const whole = await picture(400, 300).jpeg({ quality: 90 }).toBuffer();
  const damaged = Buffer.from(whole);
  damaged.fill(0xff, whole.length - 600, whole.length - 300);
  expect(await refusal(damaged)).toBe('corrupt');
  const frame = whole.indexOf(Buffer.from([0xff, 0xc0]));
  const stray = Buffer.concat([whole.subarray(0, frame), Buffer.from([0]), whole.subarray(frame)]);
  expect(await processImage(stray)).toMatchObject({ width: 400, height: 300 });
});

test('a refusal is public, final and keeps its cause for the log', async () => {
  const error: unknown = await processImage(png(7_071, 7_071)).catch((reason: unknown) => reason);
  expect(error).toMatchObject({
    retryable: false,
    message: 'The image is damaged and cannot be read.',
    cause: expect.any(Error),
  });
});

test('hashes of look-alikes are near, of mirrored and different pictures far, and fit a signed 64-bit column', async () => {
  const large = picture(1200, 800);
  const [png, small, poor, mirrored, turned] = await Promise.all(
    [
      large.clone().png(),
      large.clone().resize(300).png(),
      large.clone().jpeg({ quality: 30 }),
      large.clone().flop().png(),
      large.clone().negate().png(),
    ].map(async (image) => (await processImage(await image.toBuffer())).dhash),
  );
  const distance = (other: bigint | undefined) => hammingDistance(png ?? 0n, other ?? 0n);
  expect(distance(small)).toBeLessThanOrEqual(4);
  expect(distance(poor)).toBeLessThanOrEqual(4);
  expect(distance(mirrored)).toBeGreaterThan(10);
  expect(distance(turned)).toBeGreaterThan(10);
  expect([png, turned].every((hash) => hash === BigInt.asIntN(64, hash ?? 0n))).toBe(true);
});

test('the distance of two hashes counts differing bits, whatever their sign', () => {
  expect(hammingDistance(0n, 0n)).toBe(0);
  expect(hammingDistance(-1n, 0n)).toBe(64);
  expect(hammingDistance(-(2n ** 63n), 0n)).toBe(1);
  expect(hammingDistance(0b1010n, 0b0110n)).toBe(2);
});

test('twenty at once all end, those aborted while they wait with the reason of their signal', async () => {
  const input = await picture(600, 400).jpeg().toBuffer();
  const controller = new AbortController();
  const all = Array.from({ length: 20 }, (_, at) =>
    processImage(input, at % 4 === 3 ? { signal: controller.signal } : {}),
  );
  controller.abort(new Error('the job was cancelled'));
  const settled = await Promise.allSettled(all);
  expect(settled.map((one) => one.status)).toEqual(
    Array.from({ length: 20 }, (_, at) => (at % 4 === 3 ? 'rejected' : 'fulfilled')),
  );
  expect(settled[3]).toMatchObject({ reason: { message: 'the job was cancelled' } });
  expect(await processImage(input)).toMatchObject({ width: 600 });
});

const manifest = dataFile('images-real/manifest.csv');

describe.skipIf(!manifest)('the real image set', () => {
  const real = async (name: string) => readFile(dataFile(`images-real/${name}`) ?? '');

  test('every file ends as its manifest says', async () => {
    const wrong: string[] = [];
    for (const row of parseManifest(await readFile(manifest ?? '', 'utf8'))) {
      const outcome = await processImage(await real(row.file)).then(
        () => 'accepted',
        (error: unknown) => (error instanceof ImageError ? error.reason : String(error)),
      );
      if (!meetsExpectation(row, outcome)) wrong.push(`${row.file}: ${outcome}`);
    }
    expect(wrong).toEqual([]);
  });

  test.each([
    ['heic__IMG_5195.HEIC', 1586, 2048],
    ['heic__xiaomi.heic', 2048, 1536],
    ['heic__RGB_10__128x128.heif', 128, 128],
  ])('%s is decoded to %d x %d', async (name, width, height) => {
    expect(await processImage(await real(name))).toMatchObject({ width, height });
  });

  test('an abort ends a HEIC decode, and the next one works', async () => {
    const input = await real('heic__IMG_5195.HEIC');
    const controller = new AbortController();
    const decoding = processImage(input, { signal: controller.signal });
    setTimeout(() => controller.abort(new Error('the job was cancelled')), 50);
    await expect(decoding).rejects.toThrow('the job was cancelled');
    expect(await processImage(await real('heic__xiaomi.heic'))).toMatchObject({ width: 2048 });
  });

  test('a damaged HEIC does not spoil the next one', async () => {
    const input = await real('heic__xiaomi.heic');
    const damaged = Buffer.from(input);
    damaged.fill(0x5a, 200_000);
    const outcomes = await Promise.allSettled([processImage(damaged), processImage(input), processImage(damaged)]);
    expect(outcomes[1]).toMatchObject({ status: 'fulfilled', value: { width: 2048 } });
    for (const outcome of [outcomes[0], outcomes[2]]) {
      expect(outcome?.status === 'fulfilled' || outcome?.reason instanceof ImageError).toBe(true);
    }
  });

  test('hashes of resized and recoded copies are near, of other goods far', async () => {
    const hash = async (name: string) => (await processImage(await real(`near-duplicate__${name}`))).dhash;
    const original = await hash('ukbench00120.jpg');
    expect(hammingDistance(original, await hash('ukbench00120_resize.jpg'))).toBeLessThanOrEqual(6);
    expect(hammingDistance(await hash('ukbench09380.jpg'), await hash('ukbench09380.webp'))).toBeLessThanOrEqual(2);
    for (const other of ['ukbench09268.jpg', 'ukbench09380.jpg', 'ukbench08976.jpg', 'ukbench08996.jpg']) {
      expect(hammingDistance(original, await hash(other))).toBeGreaterThan(16);
    }
  });
});
