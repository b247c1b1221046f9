import type { IngestRecord } from '../../shared/normalize/record-type.ts';

type Column = { title: string; width: number; right?: boolean; text: (record: IngestRecord) => string };

const MAX_TITLE = 48;
const MAX_URL = 80;

/** Records as a table of text, one line each, as wide as what they hold; `categoryOf` names the category each would get. */
export function renderTable(records: readonly IngestRecord[], categoryOf: (record: IngestRecord) => string): string {
  const columns: Column[] = [
    column('TITLE', records, (record) => shorten(record.title ?? '', MAX_TITLE)),
    { ...column('PRICE', records, priceText), right: true },
    column('CONDITION', records, (record) => record.condition ?? ''),
    { ...column('YEAR', records, (record) => factText(record, 'year')), right: true },
    { ...column('LENGTH', records, (record) => factText(record, 'length', ' m')), right: true },
    column('WHERE', records, placeText),
    column('CATEGORY', records, categoryOf),
    { ...column('IMAGES', records, (record) => String(record.images?.length ?? 0)), right: true },
    column('URL', records, (record) => shorten(record.url, MAX_URL)),
  ];
  const shown = columns.filter(({ title, text }) => title === 'TITLE' || records.some((record) => text(record) !== ''));
  const line = (cells: string[]) => cells.join('  ').trimEnd();
  const header = line(shown.map((each) => pad(each.title, each)));
  const rows = records.map((record) => line(shown.map((each) => pad(each.text(record), each))));
  return [header, ...rows].join('\n');
}

function column(title: string, records: readonly IngestRecord[], read: (record: IngestRecord) => string): Column {
  const text = (record: IngestRecord) => printable(read(record));
  return { title, text, width: Math.max(title.length, ...records.map((record) => widthOf(text(record)))) };
}

function pad(text: string, { width, right }: Column): string {
  const gap = ' '.repeat(Math.max(0, width - widthOf(text)));
  return right ? gap + text : text + gap;
}

/** Letters of East Asian scripts take two places on a terminal. */
function widthOf(text: string): number {
  return [...text].reduce(
    (width, letter) =>
      width +
      (/[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60]/u.test(letter) ? 2 : 1),
    0,
  );
}

/** A page may not steer the terminal it is printed on: neither by control characters nor by turning the text round. */
const printable = (text: string) => text.replaceAll(/[\p{Cc}\u202A-\u202E\u2066-\u2069]+/gu, ' ').trim();

const shorten = (text: string, length: number) =>
  [...text].length > length ? `${[...text].slice(0, length - 1).join('')}…` : text;

function priceText({ price }: IngestRecord): string {
  return price ? `${price.amount.toLocaleString('en-US', { maximumFractionDigits: 2 })} ${price.currency}` : '';
}

function placeText({ location }: IngestRecord): string {
  return [location?.city ?? location?.region, location?.country].filter(Boolean).join(', ');
}

function factText({ attributes }: IngestRecord, name: string, unit = ''): string {
  const value = attributes?.[name];
  return typeof value === 'number' || typeof value === 'string' ? `${value}${unit}` : '';
}

/** What a crawl has done so far, in one line. */
export function progressLine(counts: { pages: number; records: number; errors: number }, startedAt: number): string {
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  const many = (n: number, name: string) => `${n} ${name}${n === 1 ? '' : 's'}`;
  return `${many(counts.pages, 'page')}, ${many(counts.records, 'record')}, ${many(counts.errors, 'problem')} in ${seconds} s`;
}
