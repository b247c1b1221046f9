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
  /** The only pairs whose truth is told, where not all of them is. */
  judged?: ReadonlySet<string>;
  /** The positions whose only match is told, where labels of others are kept aside. */
  labelled?: ReadonlySet<number>;
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
  const told = matches.size / allMatches;
  const labelled = new Set([...matches].flatMap((pair) => pair.split(' ').map(Number)));
  return { name, subjects: sides.flat(), matches, told, across: true, ...(told < 1 && { labelled }) };
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

/** Ads of memory sticks and cards in many languages, with the product that each is of; their prices name no currency. */
export function readAltosight(): Labelled | undefined {
  const path = find('dedup-altosight', 'altosight');
  if (!path) return undefined;
  const rows = readBoats(read(path));
  const subjects = rows.map((row, index): Subject => ({
    id: String(index),
    title: row.name ?? '',
    description: '',
    brand: row.brand,
  }));
  const matches = pairsWithin(rows.map((row) => row.id ?? ''));
  return { name: 'dedup-altosight', subjects, matches, told: 1, across: false };
}

/** Offers of many web shops, known by titles of raw web text, and pairs of them that were told to be one product or not. */
export function readWdcOffers(): Labelled | undefined {
  const paths = ['cameras', 'computers', 'shoes', 'watches'].map((kind) => find('dedup-wdc-offers', kind));
  const places = new Map<string, number>();
  const placeOf = (title: string) => places.get(title) ?? places.set(title, places.size).size - 1;
  const judged = new Map<string, boolean>();
  for (const path of paths) {
    if (!path) return undefined;
    for (const line of read(path).split('\n').filter(Boolean)) {
      const [left = '', right = '', label] = line.split('\t');
      const [one, other] = [placeOf(withoutMarkup(left)), placeOf(withoutMarkup(right))];
      if (one !== other) judged.set(pairKey(one, other), label?.trim() === '1');
    }
  }
  const subjects = places
    .keys()
    .map((title, index): Subject => ({ id: String(index), title, description: '' }))
    .toArray();
  const matches = new Set([...judged].flatMap(([pair, isMatch]) => (isMatch ? [pair] : [])));
  return { name: 'dedup-wdc-offers', subjects, matches, told: 1, across: false, judged: new Set(judged.keys()) };
}

/** Column name, quotation marks and language tags of the corpus. */
const withoutMarkup = (cell: string) =>
  cell
    .replace(/^COL title VAL/, '')
    .replaceAll(/"(?:@[a-zA-Z-]+)?/g, ' ')
    .trim();

/** Used motorbikes on two portals, and a few pairs that students have judged. */
export function readUsedBikes(): Labelled | undefined {
  const labels = find('dedup-used-bikes', 'labels');
  const paths = [find('dedup-used-bikes', 'bikedekho'), find('dedup-used-bikes', 'bikewale')];
  if (!labels || !paths[0] || !paths[1]) return undefined;
  const places = new Map<string, number>();
  const subjects = (paths as string[]).flatMap((path, side) =>
    readBoats(read(path)).map((row): Subject => {
      const id = `${side} ${row.id}`;
      places.set(id, places.size);
      return {
        id,
        title: row.bike_name ?? '',
        description: `${row.km_driven} km, ${row.color}, ${row.fuel_type}, ${row.owner_type}`,
        source: `portal ${side}`,
        condition: 'good',
        year: Number(row.model_year),
        price: { amount: Number(row.price), currency: 'INR' },
        place: { country: 'IN', city: row.city_posted },
      };
    }),
  );
  const rows = readBoats(read(labels)).map((row) => ({
    pair: pairKey(places.get(`0 ${row['ltable.id']}`) ?? -1, places.get(`1 ${row['rtable.id']}`) ?? -1),
    isMatch: row.gold === '1',
  }));
  const matches = new Set(rows.filter(({ isMatch }) => isMatch).map(({ pair }) => pair));
  const judged = new Set(rows.map(({ pair }) => pair));
  return { name: 'dedup-used-bikes', subjects, matches, told: 1, across: true, judged };
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

/** All labelled sets that are here. */
export const readLabelled = (): Labelled[] =>
  [readAbtBuy(), readAmazonGoogle(), readShopee(), readWdcOffers(), readAltosight(), readUsedBikes()].filter(
    (set) => set !== undefined,
  );

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

/** The rows of a set whose products are kept, with the pairs among them. */
export function partOf(set: Labelled, keeps: (product: number, size: number) => boolean): Labelled {
  const product = set.subjects.map((_, index) => index);
  for (const pair of set.matches) {
    const [a = 0, b = 0] = pair.split(' ').map(Number);
    const least = Math.min(product[a] ?? a, product[b] ?? b);
    product[a] = product[b] = least;
  }
  const size = Map.groupBy(product, (each) => each);
  const kept = product.flatMap((each, index) => (keeps(each, size.get(each)?.length ?? 1) ? [index] : []));
  const place = new Map(kept.map((index, at) => [index, at]));
  const matches = [...set.matches].flatMap((pair) => {
    const [a, b] = pair.split(' ').map((each) => place.get(Number(each)));
    return a === undefined || b === undefined ? [] : [pairKey(a, b)];
  });
  return { ...set, subjects: kept.flatMap((index) => set.subjects[index] ?? []), matches: new Set(matches) };
}
