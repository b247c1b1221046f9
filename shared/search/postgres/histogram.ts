type Bucket = { from: number; to: number; count: number };

/** Numbers by size: `from` is inclusive, `to` is the `from` of the bucket after it. Without any, `min` and `max` are null. */
export type Histogram = { min: number | null; max: number | null; buckets: Bucket[] };

/** About so many buckets. */
const BUCKETS = 10;
/** From such a ratio of the greatest to the least number on, buckets grow with their numbers. */
const WIDE = 100;
/** Numbers further apart are not told apart. */
const WIDEST = 1e9;

/** The histogram of numbers, each with its count, over buckets with round bounds; both engines make the same. */
export function toHistogram(numbers: readonly { value: number; count: number }[]): Histogram {
  if (numbers.length === 0) return { min: null, max: null, buckets: [] };
  const values = numbers.map(({ value }) => value);
  const min = values.reduce((least, value) => Math.min(least, value));
  const max = values.reduce((most, value) => Math.max(most, value));
  const edges = bucketEdges(min, max);
  const buckets = edges.slice(0, -1).map((from, index) => ({ from, to: edges[index + 1]!, count: 0 }));
  for (const { value, count } of numbers) {
    const bucket = buckets.findLast(({ from }) => from <= value) ?? buckets[0]!;
    bucket.count += count;
  }
  return { min, max, buckets };
}

/** Round bounds of contiguous buckets from `min` or below to beyond `max`: in equal steps, or by 1, 2, 5, 10, … where numbers are far apart. */
export function bucketEdges(min: number, max: number): number[] {
  const isWide = min > 0 && max / min >= WIDE && max / min <= WIDEST;
  const edges = [isWide ? roundDown(min) : 0];
  if (isWide) {
    while (edges.at(-1)! <= max) edges.push(nextRound(edges.at(-1)!));
    return edges;
  }
  const least = Number.isInteger(min) && Number.isInteger(max) ? 1 : 0;
  const size = Math.max(Math.abs(min), Math.abs(max));
  const step = Math.max(
    least,
    roundUp((max - min) / BUCKETS || size / BUCKETS || 1),
    roundUp(size / WIDEST || 1 / WIDEST),
  );
  const first = Math.floor(exact(min / step));
  const count = Math.floor(exact(max / step)) - first + 1;
  return Array.from({ length: count + 1 }, (_, index) => exact((first + index) * step));
}

const exact = (value: number) => Number(value.toPrecision(15));
const powerOf = (value: number) => 10 ** Math.floor(Math.log10(value));

/** The numbers 1, 2 and 5 times a power of ten around a number: at most it, at least it, and the next above. */
const roundDown = (value: number) =>
  exact([5, 2, 1].map((n) => n * powerOf(value)).find((each) => each <= value) ?? powerOf(value));
const roundUp = (value: number) =>
  exact([1, 2, 5].map((n) => n * powerOf(value)).find((each) => each >= value) ?? 10 * powerOf(value));
const nextRound = (value: number) =>
  exact([2, 5, 10].map((n) => n * powerOf(value)).find((each) => each > value * 1.01) ?? 10 * powerOf(value));
