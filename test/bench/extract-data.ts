import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { decodeHtml } from '../../shared/kit/html/charset.ts';
import { dataFile } from '../support/data.ts';

/** The rows of a CSV file of the data folder by their heading, or undefined where it is absent. */
export function readRows(name: string): Record<string, string>[] | undefined {
  const path = dataFile(name);
  if (path === undefined) return undefined;
  const rows = readFileSync(path, 'utf8')
    .trim()
    .split(/\r?\n/)
    .map((line) =>
      [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].map(([, cell = '']) =>
        cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell,
      ),
    );
  const [head = [], ...rest] = rows;
  return rest.map((cells) => Object.fromEntries(head.map((name_, index) => [name_, cells[index] ?? ''])));
}

/** The bytes of a packed page of the data folder. */
export function readBytes(name: string): Buffer {
  return gunzipSync(readFileSync(dataFile(name) ?? ''));
}

/** A packed page of the data folder as the crawler would decode it, from its bytes alone. */
export function readHtml(name: string): string {
  return decodeHtml(readBytes(name), undefined);
}

/** One figure of a bench: printed beside the target it is to reach. */
export type Figure = { name: string; value: number | undefined; target?: number; note?: string };

/** Prints figures with their targets; a missed one is marked. */
export function printFigures(title: string, figures: Figure[]): void {
  console.log(title);
  for (const { name, value, target, note } of figures) {
    const shown = value === undefined ? 'none' : value.toFixed(3);
    const mark = target === undefined ? '' : (value ?? 0) >= target ? `  >= ${target}` : `  MISSED: ${target}`;
    console.log(`  ${name.padEnd(44)} ${shown}${mark}${note === undefined ? '' : `   ${note}`}`);
  }
}
