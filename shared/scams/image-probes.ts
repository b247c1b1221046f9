import {
  CORE_WINDOW,
  hashWindow,
  sumArea,
  type GreyImage,
  type ImageWindow,
  type WindowHash,
} from '../adapters/image-windows.ts';
import { rotateGrey } from './rotate-grey.ts';

/** How an image may have been made of another one: the part of it that it shows, turned and mirrored. */
export type Alignment = { degrees: number; mirrored: boolean; part: ImageWindow };
/** The hash that the core of an original would have, if the image had been made of it in this way. */
export type Probe = WindowHash & { alignment: Alignment };

/** What may have been trimmed off one end of a side, and off both together, in shares of it. */
const TRIM_STEP = 0.05;
const MAX_TRIM = 0.2;
const MAX_TRIMMED = 0.25;
/** The angles that an image is turned back by: half the distance between two is left over. */
export const PROBED_DEGREES = [0, -3.5, 3.5];

/** A photo that was turned in a larger frame shows this much beside itself at each end. */
const FRAME = 0.04;

const trims = Array.from({ length: 5 }, (_, first) =>
  Array.from({ length: 5 }, (_unused, last) => [first * TRIM_STEP, last * TRIM_STEP] as const),
)
  .flat()
  .filter(([first, last]) => first <= MAX_TRIM + 0.001 && first + last <= MAX_TRIMMED + 0.001)
  .concat([[-FRAME, -FRAME]])
  .map(([first, last]) => [first, 1 - last] as const);

/**
 * Query-side augmentation: one core hash is stored of each image, and an image that is looked up is hashed in each of the
 * windows where that core would be, had it been trimmed, turned or mirrored. 1,000 probes or so; a few milliseconds.
 */
export function probesOf(image: GreyImage): Probe[] {
  return PROBED_DEGREES.flatMap((degrees) => {
    const area = sumArea(rotateGrey(image, degrees));
    return [false, true].flatMap((mirrored) =>
      trims.flatMap(([left, right]) =>
        trims.map(([top, bottom]) => {
          const part = { left, right, top, bottom };
          const window = locate(part);
          return {
            ...hashWindow(area, mirrored ? mirror(window) : window, mirrored),
            alignment: { degrees, mirrored, part },
          };
        }),
      ),
    );
  });
}

/** Where the core of the original is in an image that shows this part of it. */
function locate({ left, right, top, bottom }: ImageWindow): ImageWindow {
  const across = (at: number) => (at - left) / (right - left);
  const down = (at: number) => (at - top) / (bottom - top);
  return {
    left: across(CORE_WINDOW.left),
    right: across(CORE_WINDOW.right),
    top: down(CORE_WINDOW.top),
    bottom: down(CORE_WINDOW.bottom),
  };
}

const mirror = ({ left, right, ...rest }: ImageWindow): ImageWindow => ({ ...rest, left: 1 - right, right: 1 - left });

/** The bands (21, 21 and 22 bits) of a hash, as image_core_bands() of the database has them. */
export const coreBands = (high: number, low: number): [number, number, number] => [
  high >>> 11,
  2_097_152 + (((high & 0x7ff) << 10) | (low >>> 22)),
  4_194_304 + (low & 0x3fffff),
];

/** The bands of an image without anything to see in it, which tell nothing. */
const evenBands = new Set(coreBands(0, 0));

/** Multi-probe LSH: the bands that an original may be found by, unsure bits both ways. */
export function bandsToLookUp(probes: readonly Probe[]): number[] {
  const bands = new Set<number>();
  for (const { high, low, unsureHigh, unsureLow } of probes)
    for (const oneHigh of variants(high, unsureHigh))
      for (const oneLow of variants(low, unsureLow)) for (const band of coreBands(oneHigh, oneLow)) bands.add(band);
  return [...bands.difference(evenBands)];
}

function variants(value: number, unsure: readonly number[]): number[] {
  let all = [value];
  for (const bit of unsure) all = all.flatMap((each) => [each, (each ^ (1 << bit)) >>> 0]);
  return all;
}

/** The probe that a stored core hash (signed, 64 bits) is nearest to, and its Hamming distance. */
export function nearestProbe(probes: readonly Probe[], core: bigint): { distance: number; alignment: Alignment } {
  const high = Number(BigInt.asUintN(32, core >> 32n));
  const low = Number(BigInt.asUintN(32, core));
  let nearest = { distance: 65, alignment: probes[0]!.alignment };
  for (const probe of probes) {
    const distance = bitsIn(probe.high ^ high) + bitsIn(probe.low ^ low);
    if (distance < nearest.distance) nearest = { distance, alignment: probe.alignment };
  }
  return nearest;
}

function bitsIn(value: number): number {
  let bits = value >>> 0;
  bits -= (bits >>> 1) & 0x55555555;
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
