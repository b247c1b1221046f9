import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { extractPage } from '../../scrapers/extract/extract-page.ts';
import { extractStructured } from '../../scrapers/extract/structured.ts';
import { normalizePrice } from '../../scrapers/normalize/price.ts';
import type { RawRecord } from '../../shared/ingest/record.ts';
import { dataFile } from '../support/data.ts';

const FOLDER = 'html-product-pages';
const FIELDS = ['price', 'currency', 'sku', 'availability', 'brand'] as const;
const BASELINES = ['extruct', 'Diffbot', 'Zyte'];

type Field = (typeof FIELDS)[number];
type Found = Partial<Record<Field, string>>;
type Truth = Partial<Record<Field, string[]>> & { url: string };

/** How well one extractor did on one field: counts over all pages, ratios 0-1. */
export type Score = { precision: number; recall: number; f1: number };

/** What one extractor did: the scores per field, the pages that threw, and its speed. */
export type ExtractionResult = { scores: Record<Field, Score>; threw: number; pagesPerSecond: number };

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
    const started = performance.now();
    try {
      const [record] = extract(html, url);
      found[key] = record ? answersOf(record) : {};
    } catch {
      threw += 1;
    }
    milliseconds += performance.now() - started;
  }
  const pagesPerSecond = Object.keys(found).length / (milliseconds / 1000);
  return { scores: scoreAll(truth, found), threw, pagesPerSecond };
}

/** Prints field precision, recall and F1 of both extractors beside the published ones, speed and pages that threw. */
export async function benchExtract(): Promise<void> {
  const truth = readTruth();
  if (!truth) return;
  const rows: Record<string, Record<string, string>> = {};
  for (const [name, extract] of [
    ['structured', extractStructured],
    ['whole page', (html: string, url: string) => extractPage(html, url, { mode: 'structured' })],
  ] as const) {
    const result = measureExtraction(extract);
    if (!result) return;
    rows[name] = {
      ...cellsOf(result.scores),
      'pages/s': result.pagesPerSecond.toFixed(0),
      threw: String(result.threw),
    };
  }
  for (const name of BASELINES) {
    const baseline = dataFile(`${FOLDER}/baseline-${name}.json`);
    if (baseline === undefined) continue;
    const answers = JSON.parse(readFileSync(baseline, 'utf8')) as Record<string, Found>;
    rows[`${name} (published)`] = cellsOf(scoreAll(truth, answers));
  }
  console.log(`${Object.keys(truth).length} product pages: precision / recall / F1 per field`);
  console.table(rows);
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
