import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

/** A town of the list: `region` is the code that GeoNames gives to it, `population` has two figures. */
export type Town = { lat: number; lng: number; region: string; population: number };

/** The list as it is stored, read at the first use: 5 MB beside the heap, sorted by country and folded name. */
let list: Buffer | undefined;
/** Where the lines of a country begin and end, noted at its first use. */
const ranges = new Map<string, { start: number; end: number }>();

/** The towns of a country with exactly that folded name, the most populous first: a binary search in the list. */
export function findTowns(country: string, name: string): Town[] {
  if (name === '' || !/^[A-Z]{2}$/.test(country)) return [];
  list ??= gunzipSync(readFileSync(new URL('../../db/seed/towns.tsv.gz', import.meta.url)));
  const range = ranges.get(country) ?? noteRange(list, country);
  const key = Buffer.from(`${country}\t${name}\t`);
  const towns: Town[] = [];
  for (let at = firstLine(list, range, key); at < range.end && startsWith(list, at, key); at = nextLine(list, at)) {
    const [region = '', population, lat, lng] = list
      .toString('utf8', at + key.length, nextLine(list, at) - 1)
      .split('\t');
    towns.push({ region, population: Number(population), lat: Number(lat), lng: Number(lng) });
  }
  return towns;
}

function noteRange(lines: Buffer, country: string): { start: number; end: number } {
  const whole = { start: 0, end: lines.length };
  const start = firstLine(lines, whole, Buffer.from(`${country}\t`));
  const end = firstLine(lines, whole, Buffer.from(`${country}\n`));
  const range = { start, end: Math.max(start, end) };
  ranges.set(country, range);
  return range;
}

/** The first line between two offsets that is not before a key; lines are in the order of their bytes. */
function firstLine(lines: Buffer, { start, end }: { start: number; end: number }, key: Buffer): number {
  let low = start;
  let high = end;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const line = middle === 0 ? 0 : lines.lastIndexOf(10, middle - 1) + 1;
    if (lines.compare(key, 0, key.length, line, Math.min(line + key.length, lines.length)) < 0)
      low = nextLine(lines, middle);
    else high = line;
  }
  return low;
}

function nextLine(lines: Buffer, at: number): number {
  const end = lines.indexOf(10, at);
  return end < 0 ? lines.length + 1 : end + 1;
}

const startsWith = (lines: Buffer, at: number, key: Buffer) =>
  lines.compare(key, 0, key.length, at, Math.min(at + key.length, lines.length)) === 0;
