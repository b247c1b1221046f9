import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { extractPage } from '../../scrapers/extract/extract-page.ts';
import { extractStructured } from '../../scrapers/extract/structured.ts';
import { normalizePrice } from '../../shared/normalize/price.ts';
import type { RawRecord } from '../../shared/normalize/record-type.ts';
import { dataFile } from '../support/data.ts';
import { halvesOf, printFigures } from './extract-data.ts';
import { benchPages } from './extract-pages.ts';
import { benchSyntaxes } from './extract-syntaxes.ts';

const FOLDER = 'html-product-pages';
const FIELDS = ['price', 'currency', 'sku', 'availability', 'brand'] as const;
type Field = (typeof FIELDS)[number];

const TARGETS: Record<Field, number> = { price: 0.9, currency: 0.85, sku: 0.75, availability: 0.95, brand: 0.75 };
const BASELINES = ['extruct', 'Diffbot', 'Zyte'];

type Found = Partial<Record<Field, string>>;
type Truth = Partial<Record<Field, string[]>> & { url: string };

/** How well one extractor did on one field: counts over all pages, ratios 0-1. */
export type Score = { precision: number; recall: number; f1: number };

/** What one extractor did: its answers and scores, the pages that threw, processor milliseconds per page. */
export type ExtractionResult = {
  found: Record<string, Found>;
  scores: Record<Field, Score>;
  threw: number;
  milliseconds: number;
};

const AS_PRINTED: Record<string, string[]> = {
  $: ['USD', 'CAD', 'AUD', 'NZD', 'CLP', 'MXN', 'SGD', 'HKD'],
  '€': ['EUR'],
  '£': ['GBP'],
  '₹': ['INR'],
  'ر.س': ['SAR'],
  Lei: ['RON'],
  zł: ['PLN'],
};
const OUT = new Set(['OutOfStock', 'SoldOut', 'Discontinued']);

/**
 * Scores an extractor on the saved product pages against their hand-made truth, or undefined where the folder is absent.
 * A field counts as found when its value is one of the accepted ones; a value where the truth has none is a false one.
 */
export function measureExtraction(extract: (html: string, url: string) => RawRecord[]): ExtractionResult | undefined {
  const truth = readTruth();
  if (!truth) return undefined;
  const found: Record<string, Found> = {};
  let threw = 0;
  let milliseconds = 0;
  for (const [key, { url }] of Object.entries(truth)) {
    const page = dataFile(`${FOLDER}/html/${key}.html.gz`);
    if (page === undefined) continue;
    const html = gunzipSync(readFileSync(page)).toString('utf8');
    const started = process.cpuUsage().user;
    try {
      const [record] = extract(html, url);
      found[key] = record ? answersOf(record) : {};
    } catch {
      threw += 1;
    }
    milliseconds += (process.cpuUsage().user - started) / 1_000;
  }
  return { found, scores: scoreAll(truth, found), threw, milliseconds: milliseconds / Object.keys(found).length };
}

/** Prints field precision, recall and F1 beside the published ones, with their targets, and what else is read of pages. */
export async function benchExtract(): Promise<void> {
  const truth = readTruth();
  if (!truth) return;
  const rows: Record<string, Record<string, string>> = {};
  const whole = measureExtraction(readWhole);
  for (const [name, result] of [
    ['structured', measureExtraction(extractStructured)],
    ['whole page', whole],
    ['page without its markup', measureExtraction((html, url) => readWhole(withoutMarkup(html), url))],
    ['and without names', measureExtraction((html, url) => readWhole(withoutNames(withoutMarkup(html)), url))],
  ] as const) {
    if (!result) return;
    rows[name] = { ...cellsOf(result.scores), 'ms/page': result.milliseconds.toFixed(1), threw: String(result.threw) };
  }
  for (const name of BASELINES) {
    const baseline = dataFile(`${FOLDER}/baseline-${name}.json`);
    if (baseline === undefined) continue;
    const answers = JSON.parse(readFileSync(baseline, 'utf8')) as Record<string, Found>;
    rows[`${name} (published)`] = cellsOf(scoreAll(truth, answers));
  }
  console.log(`${Object.keys(truth).length} product pages: precision / recall / F1 per field`);
  console.table(rows);
  if (!whole) return;
  const halves = [1, 2, 3]
    .flatMap((seed) => halvesOf(Object.keys(truth), seed))
    .map((keys) => scoresOf(truth, whole.found, keys));
  const figures = FIELDS.map((field) => {
    const each = halves.map((scores) => scores[field].f1);
    const note = `halves ${Math.min(...each).toFixed(2)}-${Math.max(...each).toFixed(2)}`;
    return { name: `${field} F1`, value: whole.scores[field].f1, target: TARGETS[field], note };
  });
  printFigures('Product pages, with the range over random halves of them', figures);
  benchSyntaxes();
  benchPages();
}

function readWhole(html: string, url: string): RawRecord[] {
  return extractPage(html, url, { mode: 'structured' });
}

/** The same page without anything written for machines: what is left must be read as a visitor does. */
function withoutMarkup(html: string): string {
  return html
    .replace(/<script[^>]*ld\+json[\s\S]*?<\/script>/gi, '')
    .replace(/\s(?:itemprop|itemtype|itemscope|typeof|property)(?==|[\s>])/gi, ' data-gone')
    .replace(/<meta[^>]+(?:og:|product:|twitter:)[^>]*>/gi, '');
}

/** The same page without the names that its makers gave its parts, as where a build scrambles them. */
function withoutNames(html: string): string {
  return html.replace(/\s(?:class|id|data-[a-z-]+)=(?:"[^"]*"|'[^']*')/gi, '');
}

function scoresOf(truth: Record<string, Truth>, found: Record<string, Found>, keys: string[]): Record<Field, Score> {
  return scoreAll(Object.fromEntries(keys.flatMap((key) => (truth[key] ? [[key, truth[key]]] : []))), found);
}

function readTruth(): Record<string, Truth> | undefined {
  const path = dataFile(`${FOLDER}/ground-truth.json`);
  return path === undefined ? undefined : (JSON.parse(readFileSync(path, 'utf8')) as Record<string, Truth>);
}

function answersOf(record: RawRecord): Found {
  const price = record.price === undefined ? undefined : normalizePrice(record.price, { currency: record.currency });
  const { availability } = record;
  return {
    price: price && price.amount > 0 ? String(price.amount) : undefined,
    currency: price && price.amount > 0 ? price.currency : undefined,
    sku: record.sku,
    availability: availability === undefined ? undefined : OUT.has(availability) ? 'OutOfStock' : 'InStock',
    brand: record.brand,
  };
}

function scoreAll(truth: Record<string, Truth>, found: Record<string, Found>): Record<Field, Score> {
  const scores = FIELDS.map((field) => [field, scoreField(field, truth, found)] as const);
  return Object.fromEntries(scores) as Record<Field, Score>;
}

function scoreField(field: Field, truth: Record<string, Truth>, found: Record<string, Found>): Score {
  let right = 0;
  let given = 0;
  let wanted = 0;
  for (const [key, answers] of Object.entries(truth)) {
    const accepted = answers[field] ?? [];
    const answer = found[key]?.[field];
    if (accepted.length > 0) wanted += 1;
    if (answer === undefined) continue;
    given += 1;
    if (accepted.some((value) => isSame(field, answer, value))) right += 1;
  }
  const precision = given === 0 ? 0 : right / given;
  const recall = wanted === 0 ? 0 : right / wanted;
  return { precision, recall, f1: precision + recall === 0 ? 0 : (2 * precision * recall) / (precision + recall) };
}

/** The truth is compared as it is written: a price with a stray blank in it matches nothing, as in the published scores. */
function isSame(field: Field, answer: string, value: string): boolean {
  if (field === 'price') return /^\d+(?:\.\d+)?$/.test(value) && Number(answer) === Number(value);
  if (field === 'currency') return answer === value || (AS_PRINTED[value]?.includes(answer) ?? false);
  return answer === value;
}

function cellsOf(scores: Record<Field, Score>): Record<string, string> {
  const digits = (value: number) => value.toFixed(3).replace(/^0/, '');
  const cell = ({ precision, recall, f1 }: Score) => `${digits(precision)} / ${digits(recall)} / ${digits(f1)}`;
  return Object.fromEntries(FIELDS.map((field) => [field, cell(scores[field])]));
}

if (import.meta.main) await benchExtract();
