import type { GreyImage } from '../adapters/image-windows.ts';
import type { Alignment } from './image-probes.ts';
import { rotateGrey, sampleGrey } from './rotate-grey.ts';

/** How well two images agree: of the blocks with something to see, how many there are and which share of them agrees. */
export type BlockMatch = { blocks: number; share: number };

const BLOCKS = 8;
/** Every other row first: where hardly a block of these is found, the rest is not looked for. */
const ROWS = [0, 2, 4, 6, 1, 3, 5, 7];
const MIN_BEGINNING = 0.2;
const SAMPLES = 10;
/** The border of an image is where it was turned or framed. */
const MARGIN = 0.04;
/** A block whose grey values deviate less is sky, water or wall, and tells nothing. */
const MIN_DEVIATION = 6;
const MIN_CORRELATION = 0.8;
/** How far a block is searched for, in pixels, first in coarse and then in fine steps. */
const coarse = [-5, -2.5, 0, 2.5, 5];
const fine = [-1.25, 0, 1.25];
/** Two blocks of one photo that lie side by side are found within so many pixels of each other. */
const MAX_APART = 2.5;

/** The least that is taken for one photo: fitted on photos that `npm run bench -- scam` does not report on. */
export const MIN_BLOCKS = 10;
export const MIN_SHARE = 0.45;

/** Whether two images show one photo. */
export const isOnePhoto = ({ blocks, share }: BlockMatch) => blocks >= MIN_BLOCKS && share >= MIN_SHARE;

/**
 * Block matching by normalised cross-correlation: whether an image was made of an original in the way of an alignment, each
 * block searched for a few pixels around its place. Brightness and contrast do not count, and a text over some blocks leaves
 * the others.
 */
export function matchBlocks(image: GreyImage, original: GreyImage, alignment: Alignment): BlockMatch {
  const view = rotateGrey(image, alignment.degrees);
  let blocks = 0;
  const shifts: Shift[] = [];
  for (const row of ROWS) {
    if (row === 1 && shifts.length < blocks * MIN_BEGINNING) break;
    for (let column = 0; column < BLOCKS; column += 1) {
      const points = pointsOf(row, column);
      const seen = centre(
        Float64Array.from(points, ([u, v]) => sampleGrey(view, u * view.width - 0.5, v * view.height - 0.5)),
      );
      if (seen.deviation < MIN_DEVIATION) continue;
      blocks += 1;
      const places = points.map((point) => placeIn(original, alignment, point));
      const shift = findBlock(seen, original, places);
      if (shift) shifts.push({ row, column, ...shift });
    }
  }
  return { blocks, share: blocks === 0 ? 0 : countAgreeing(shifts) / blocks };
}

/** How many blocks were found where a block beside them was too: by chance they are found anywhere. */
function countAgreeing(shifts: readonly Shift[]): number {
  const isBeside = (one: Shift, other: Shift) =>
    one !== other && Math.max(Math.abs(one.row - other.row), Math.abs(one.column - other.column)) <= 1;
  const isNear = (one: Shift, other: Shift) =>
    Math.max(Math.abs(one.dx - other.dx), Math.abs(one.dy - other.dy)) <= MAX_APART;
  return shifts.filter((one) => shifts.some((other) => isBeside(one, other) && isNear(one, other))).length;
}

type Shift = { row: number; column: number; dx: number; dy: number };

type Point = readonly [number, number];

/** The sampled points of a block, in shares of the image. */
function pointsOf(row: number, column: number): Point[] {
  const size = (1 - 2 * MARGIN) / BLOCKS;
  const at = (block: number, sample: number) => MARGIN + size * (block + (sample + 0.5) / SAMPLES);
  return Array.from(
    { length: SAMPLES * SAMPLES },
    (_, index) => [at(column, index % SAMPLES), at(row, Math.floor(index / SAMPLES))] as const,
  );
}

/** Where a point of the image is in the original, in pixels. */
function placeIn(original: GreyImage, { mirrored, part }: Alignment, [u, v]: Point): Point {
  const across = mirrored ? 1 - u : u;
  return [
    (part.left + (part.right - part.left) * across) * original.width - 0.5,
    (part.top + (part.bottom - part.top) * v) * original.height - 0.5,
  ];
}

/** How far from its place a block is found; undefined where nothing there is like it. */
function findBlock(seen: Block, original: GreyImage, places: readonly Point[]) {
  const there = new Float64Array(places.length);
  let best = { correlation: -1, dx: 0, dy: 0 };
  const attempt = (dx: number, dy: number) => {
    for (let at = 0; at < places.length; at += 1) {
      const [x, y] = places[at]!;
      there[at] = sampleGrey(original, x + dx, y + dy);
    }
    const correlation = correlate(seen, there);
    if (correlation > best.correlation) best = { correlation, dx, dy };
  };
  for (const dy of coarse) for (const dx of coarse) attempt(dx, dy);
  if (best.correlation < MIN_CORRELATION / 2) return undefined;
  const { dx: nearX, dy: nearY } = best;
  for (const dy of fine) for (const dx of fine) attempt(nearX + dx, nearY + dy);
  return best.correlation >= MIN_CORRELATION ? { dx: best.dx, dy: best.dy } : undefined;
}

/** Grey values less their mean, and how far they deviate from it. */
type Block = { values: Float64Array; deviation: number };

function centre(values: Float64Array): Block {
  let sum = 0;
  for (const value of values) sum += value;
  const mean = sum / values.length;
  let squares = 0;
  for (let at = 0; at < values.length; at += 1) {
    values[at]! -= mean;
    squares += values[at]! ** 2;
  }
  return { values, deviation: Math.sqrt(squares / values.length) };
}

/** Pearson's correlation coefficient; 0 where one side is even. */
function correlate(seen: Block, there: Float64Array): number {
  let [sum, squares, product] = [0, 0, 0];
  for (let at = 0; at < there.length; at += 1) {
    const value = there[at]!;
    sum += value;
    squares += value * value;
    product += value * seen.values[at]!;
  }
  const variance = squares / there.length - (sum / there.length) ** 2;
  return variance <= 0 ? 0 : product / there.length / (seen.deviation * Math.sqrt(variance));
}
