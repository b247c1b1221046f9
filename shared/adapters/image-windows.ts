/** One channel of 8 bits a pixel, row by row. */
export type GreyImage = { data: Uint8Array; width: number; height: number };

/** A part of an image, in shares of its width and height. */
export type ImageWindow = { left: number; top: number; right: number; bottom: number };

/** A difference hash in two halves of 32 bits, with those bits of each half that a small change would flip first. */
export type WindowHash = { high: number; low: number; unsureHigh: number[]; unsureLow: number[] };

/** The long side of the grey images that windows are hashed of. */
export const GREY_SIDE = 128;
/** The part that the hash of a stored image is of: whoever trims a photo by a fifth leaves it in. */
export const CORE_WINDOW: ImageWindow = { left: 0.2, top: 0.2, right: 0.8, bottom: 0.8 };

const COLUMNS = 9;
const ROWS = 8;
/** So many of 256 levels of grey are noise: sky and walls have no bits that a compression flips. */
const FLAT = 2;
/** How many of the 32 bits of a half are named as unsure. */
const UNSURE_BITS = 2;

/** Summed-area table: the mean of any window of a grey image in constant time. */
export type SummedArea = { sums: Float64Array; width: number; height: number };

/** Sums a grey image up, for many windows of it. */
export function sumArea({ data, width, height }: GreyImage): SummedArea {
  const stride = width + 1;
  const sums = new Float64Array(stride * (height + 1));
  for (let y = 0; y < height; y += 1) {
    let row = 0;
    for (let x = 0; x < width; x += 1) {
      row += data[y * width + x]!;
      sums[(y + 1) * stride + x + 1] = sums[y * stride + x + 1]! + row;
    }
  }
  return { sums, width, height };
}

/** Difference hash of a window: is each of its 9 x 8 cells darker than its right neighbour, by more than noise? */
export function hashWindow(area: SummedArea, { left, top, right, bottom }: ImageWindow, mirrored = false): WindowHash {
  const xs = edges(left, right, COLUMNS, area.width);
  const ys = edges(top, bottom, ROWS, area.height);
  const bits = [0, 0];
  const margins: number[][] = [[], []];
  for (let row = 0; row < ROWS; row += 1) {
    let before = 0;
    for (let column = 0; column < COLUMNS; column += 1) {
      const cell = mirrored ? COLUMNS - 1 - column : column;
      const mean = meanOf(area, xs[cell]!, ys[row]!, xs[cell + 1]!, ys[row + 1]!);
      if (column > 0) {
        const at = row * (COLUMNS - 1) + column - 1;
        const half = at >> 5;
        if (mean - before > FLAT) bits[half] = (bits[half]! | (1 << (31 - (at & 31)))) >>> 0;
        margins[half]!.push(Math.abs(mean - before - FLAT));
      }
      before = mean;
    }
  }
  return { high: bits[0]!, low: bits[1]!, unsureHigh: unsureOf(margins[0]!), unsureLow: unsureOf(margins[1]!) };
}

/** The bits of a half whose margins are smallest. */
function unsureOf(margins: readonly number[]): number[] {
  const unsure: number[] = [];
  for (let count = 0; count < UNSURE_BITS; count += 1) {
    let least = -1;
    for (let at = 0; at < margins.length; at += 1)
      if (!unsure.includes(31 - at) && (least < 0 || margins[at]! < margins[least]!)) least = at;
    unsure.push(31 - least);
  }
  return unsure;
}

function edges(from: number, to: number, cells: number, size: number): number[] {
  return Array.from({ length: cells + 1 }, (_, index) =>
    Math.min(size, Math.max(0, (from + ((to - from) * index) / cells) * size)),
  );
}

/** The mean of an axis-parallel box with fractional sides, the table interpolated bilinearly. */
function meanOf(area: SummedArea, left: number, top: number, right: number, bottom: number): number {
  const size = (right - left) * (bottom - top);
  if (size <= 0) return 0;
  return (
    (sumTo(area, right, bottom) - sumTo(area, left, bottom) - sumTo(area, right, top) + sumTo(area, left, top)) / size
  );
}

function sumTo({ sums, width, height }: SummedArea, x: number, y: number): number {
  const x0 = Math.min(width - 1, Math.floor(x));
  const y0 = Math.min(height - 1, Math.floor(y));
  const stride = width + 1;
  const at = y0 * stride + x0;
  const dx = x - x0;
  const upper = sums[at]! + (sums[at + 1]! - sums[at]!) * dx;
  const lower = sums[at + stride]! + (sums[at + stride + 1]! - sums[at + stride]!) * dx;
  return upper + (lower - upper) * (y - y0);
}
