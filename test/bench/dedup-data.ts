import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { dataFile } from '../support/data.ts';
import type { Subject } from '../../shared/dedup/fingerprint.ts';
import { fromTrader } from './boat-rows.ts';
import { readBoats } from './dataset-rows.ts';

/** Listings with the pairs that are known to be one thing. */
export type Labelled = {
  name: string;
  subjects: Subject[];
  /** Pairs of positions in `subjects`, the smaller first. */
  matches: Set<string>;
  /** How many of all matches the labels here hold: the rest is not told. */
  told: number;
  /** Whether only pairs of two sources count. */
  across: boolean;
};

export const pairKey = (a: number, b: number) => (a < b ? `${a} ${b}` : `${b} ${a}`);

const read = (path: string) =>
  (path.endsWith('.gz') ? gunzipSync(readFileSync(path)) : readFileSync(path)).toString('utf8');

/** The one file of a data set whose name begins so: the labels of another sample have another ending. */
function find(folder: string, prefix: string): string | undefined {
  const readme = dataFile(`${folder}/README.md`);
  if (!readme) return undefined;
  const name = readdirSync(dirname(readme)).find((each) => each.startsWith(prefix));
  return name && join(dirname(readme), name);
}

const table = (text: string, separator: string) => {
  const [header = '', ...lines] = text.split(/\r?\n/).filter(Boolean);
  const names = header.split(separator);
  return lines.map((line) => new Map(line.split(separator).map((cell, index) => [names[index] ?? '', cell])));
};

/** Two shops and the rows of one that are rows of the other. */
function readShops(
  name: string,
  {
    files: [left, right],
    separator,
    title,
    allMatches,
  }: { files: [string, string]; separator: string; title: string; allMatches: number },
): Labelled | undefined {
  const labels = find(name, 'gt');
  const paths = [find(name, left), find(name, right)];
  if (!labels || !paths[0] || !paths[1]) return undefined;
  const sides = (paths as string[]).map((path, side) =>
    table(read(path), separator).map((row, index): Subject => {
      const amount = Number(row.get('price')?.replaceAll(/[^\d.]/g, ''));
      return {
        id: `${side}-${index}`,
        title: row.get(title) ?? '',
        description: row.get('description') ?? '',
        source: `shop ${side}`,
        ...(amount > 0 && { price: { amount } }),
        ...(row.get('manufacturer') && { brand: row.get('manufacturer') }),
      };
    }),
  ) as [Subject[], Subject[]];
  const matches = new Set(
    table(read(labels), ',').map((row) => pairKey(Number(row.get('D1')), sides[0].length + Number(row.get('D2')))),
  );
  return { name, subjects: sides.flat(), matches, told: matches.size / allMatches, across: true };
}

export const readAbtBuy = () =>
  readShops('dedup-abt-buy', { files: ['abt', 'buy'], separator: '|', title: 'name', allMatches: 1_076 });

export const readAmazonGoogle = () =>
  readShops('dedup-amazon-google', { files: ['amazon', 'gp'], separator: '#', title: 'title', allMatches: 1_103 });

/** Ads of many sellers with an image each, and which of them show one product. */
export function readShopee(): Labelled | undefined {
  const path = find('dedup-shopee-matching', 'shopee_matching');
  if (!path) return undefined;
  const rows = readBoats(read(path));
  const subjects = rows.map((row): Subject => ({
    id: row.posting_id ?? '',
    title: unescaped(row.title ?? ''),
    description: '',
    images: [row.image_phash ?? ''],
  }));
  return {
    name: 'dedup-shopee-matching',
    subjects,
    matches: pairsWithin(rows.map((row) => row.label_group ?? '')),
    told: 1,
    across: false,
  };
}

function pairsWithin(labels: readonly string[]): Set<string> {
  const groups = new Map<string, number[]>();
  for (const [index, label] of labels.entries()) groups.set(label, [...(groups.get(label) ?? []), index]);
  const pairs = new Set<string>();
  for (const group of groups.values())
    for (const [at, first] of group.entries())
      for (const second of group.slice(at + 1)) pairs.add(pairKey(first, second));
  return pairs;
}

/** Some titles hold the bytes of a character as backslash, x and two digits each. */
const unescaped = (title: string) =>
  title.replaceAll(/(?:\\x[0-9a-f]{2})+/g, (bytes) => Buffer.from(bytes.replaceAll('\\x', ''), 'hex').toString('utf8'));

/** The rows of boats-boattrader-2019: boats of dealers, many of them identical new stock. */
export function readStockRows(): Record<string, string>[] | undefined {
  const path = find('boats-boattrader-2019', 'boattrader');
  return path === undefined ? undefined : readBoats(read(path));
}

/** The same as subjects: none of them is another's duplicate for all that is said here. */
export const readStock = (): Subject[] | undefined => readStockRows()?.map(toSubject);

function toSubject(row: Record<string, string>, index: number): Subject {
  const { title, condition, price, location, attributes } = fromTrader(row);
  const { brand, model, year, length } = attributes as Record<string, string & number>;
  return {
    id: String(index),
    title,
    description: '',
    source: row.sellerId,
    condition: String(condition),
    brand,
    model,
    year,
    length_m: length,
    price: price as Subject['price'],
    place: location as Subject['place'],
  };
}
