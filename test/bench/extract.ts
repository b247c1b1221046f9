import { readFileSync } from 'node:fs';
import { extractPage } from '../../scrapers/extract/extract-page.ts';
import type { ReaderWeights } from '../../scrapers/extract/readable.ts';
import type { RawRecord } from '../../shared/normalize/record-type.ts';
import { dataFile } from '../support/data.ts';
import { readSavedPages } from './extract-corpora.ts';
import type { SavedPage } from './extract-corpora.ts';
import { printFigures } from './extract-data.ts';
import type { Figure } from './extract-data.ts';
import { fitChoices, fitDetail, hideMarkup, readPageFeatures, readSamples } from './extract-fit.ts';
import { answersOf, FIELDS, recordRate, scoreField } from './extract-measures.ts';
import type { Answers, Field, Outcome, Score } from './extract-measures.ts';
import { benchPages } from './extract-pages.ts';
import { benchSyntaxes } from './extract-syntaxes.ts';

const FOLDS = 10;
const WHOLE: Partial<Record<Field, number>> = { price: 0.9, currency: 0.95, sku: 0.75, availability: 0.93 };
const MAX_DIFFERENCE = 0.08;
const BASELINES = ['extruct', 'Diffbot', 'Zyte'];

type Extract = (html: string, url: string) => RawRecord[];
/** What was read of every page, and the processor milliseconds of a page. */
export type Reading = { outcomes: Outcome[]; threw: number; milliseconds: number };

/** Reads pages with an extractor; one that throws has answered nothing. */
export function readPages(pages: readonly SavedPage[], extract: Extract): Reading {
  let [threw, milliseconds] = [0, 0];
  const outcomes = pages.map((page): Outcome => {
    const html = page.readHtml();
    const started = process.cpuUsage().user;
    try {
      return { page, answers: answersOf(extract(html, page.url)) };
    } catch {
      threw += 1;
      return { page, answers: undefined };
    } finally {
      milliseconds += (process.cpuUsage().user - started) / 1_000;
    }
  });
  return { outcomes, threw, milliseconds: milliseconds / pages.length };
}

/**
 * Prints how well fields are read, as means over domains: `seen` with the weights that every page has taught, `unseen` with
 * weights that the page's domain has not (domains are left out in ten parts); whole, and with the markup hidden.
 */
export function benchExtract(): Promise<void> {
  const pages = readSavedPages();
  if (pages.length === 0) return Promise.resolve();
  const unseen = readUnseen(pages);
  const figures: Figure[] = [];
  for (const [name, prepare, targets] of [
    ['whole', (html: string) => html, WHOLE],
    ['hidden', hideMarkup, { price: 0.75 }],
  ] as const) {
    const own = name === 'whole' ? pages : pages.filter(({ isPrinted }) => isPrinted).map(oweWhatIsLeft);
    const seen = readPages(own, (html, url) => read(prepare(html), url, {}));
    const left = readPages(own, (html, url) => read(prepare(html), url, unseen.get(url) ?? {}));
    console.log(`${own.length} pages, ${name}: precision / recall / F1 per field, means over domains`);
    console.table({
      ...rowsOf('seen', seen),
      ...rowsOf('unseen', left),
      ...Object.fromEntries(
        Object.entries(partsOf(left.outcomes)).map(([part, some]) => [`unseen, ${part}`, cellsOf(some)]),
      ),
    });
    for (const field of FIELDS) {
      const [before, after] = [seen, left].map(({ outcomes }) => scoreField(field, outcomes).f1);
      const difference = (before ?? 0) - (after ?? 0);
      const note = `seen ${before?.toFixed(3)}${difference > MAX_DIFFERENCE ? '  FITTED' : ''}`;
      figures.push({ name: `${field} F1, ${name}`, value: after, target: targets[field as 'price'], note });
    }
    figures.push({ name: `a record for a page of one thing, ${name}`, value: recordRate(left.outcomes), target: 1 });
    const others = left.outcomes.filter(({ page }) => !page.isItem);
    const silent = others.filter(({ answers }) => answers === undefined).length / others.length;
    figures.push({ name: `none for another page, ${name}`, value: silent, target: 0.97 });
  }
  printBaselines(pages);
  printFigures('Domains that nothing was learnt from', figures);
  benchSyntaxes();
  benchPages();
  return Promise.resolve();
}

const read = (html: string, url: string, weights: ReaderWeights): RawRecord[] =>
  extractPage(html, url, { mode: 'structured', weights });

/** A page whose markup is hidden owes no article number or brand that nothing else on it says. */
function oweWhatIsLeft(page: SavedPage): SavedPage {
  if (!page.isTaughtByMarkup) return page;
  const html = hideMarkup(page.readHtml()).toLowerCase();
  const isSaid = (values: string[] | undefined) => values?.some((value) => html.includes(value.toLowerCase()));
  const { sku, brand, ...truth } = page.truth;
  return { ...page, truth: { ...truth, ...(isSaid(sku) && { sku }), ...(isSaid(brand) && { brand }) } };
}

/** The weights for every page, by its address, that its domain did not teach. */
function readUnseen(pages: SavedPage[]): Map<string, ReaderWeights> {
  const samples = readSamples(pages);
  const features = pages.map((page) => ({ page, features: readPageFeatures(page, {}) }));
  const domains = [...new Set(pages.map(({ domain }) => domain))];
  const foldOf = new Map(domains.map((domain, index) => [domain, index % FOLDS]));
  const weights = new Map<string, ReaderWeights>();
  for (let fold = 0; fold < FOLDS; fold += 1) {
    const isOther = ({ page }: { page: SavedPage }) => foldOf.get(page.domain) !== fold;
    const learnt = { ...fitChoices(samples.filter(isOther)), detail: fitDetail(features.filter(isOther)) };
    for (const { domain, url } of pages) if (foldOf.get(domain) === fold) weights.set(url, learnt);
  }
  return weights;
}

/** A third of the domains, by hash: rules written by hand are never looked at on those. */
export function isHeldOut({ domain }: SavedPage): boolean {
  return [...domain].reduce((hash, letter) => (hash * 31 + letter.charCodeAt(0)) >>> 0, 7) % 3 === 0;
}

function partsOf(outcomes: Outcome[]): Record<string, Outcome[]> {
  const part = (belongs: (page: SavedPage) => boolean) => outcomes.filter(({ page }) => belongs(page));
  return {
    products: part(({ corpus }) => corpus === 'products'),
    'more pages': part(({ corpus }) => corpus === 'more'),
    listings: part(({ corpus }) => corpus === 'listings'),
    'before 2018': part(({ isOld }) => isOld),
    'since 2018': part(({ isOld }) => !isOld),
    'looked at': part((page) => !isHeldOut(page)),
    'held out': part(isHeldOut),
  };
}

function rowsOf(name: string, { outcomes, threw, milliseconds }: Reading): Record<string, Record<string, string>> {
  return { [name]: { ...cellsOf(outcomes), 'ms/page': milliseconds.toFixed(1), threw: String(threw) } };
}

function cellsOf(outcomes: Outcome[]): Record<string, string> {
  const digits = (value: number) => value.toFixed(3).replace(/^0/, '');
  const cell = ({ precision, recall, f1 }: Score) => `${digits(precision)} / ${digits(recall)} / ${digits(f1)}`;
  const known = FIELDS.filter((field) => outcomes.some(({ page }) => page.truth[field] !== undefined));
  return {
    ...Object.fromEntries(known.map((field) => [field, cell(scoreField(field, outcomes))])),
    record: digits(recordRate(outcomes)),
  };
}

/** What others published for the product pages, scored alike. */
function printBaselines(pages: SavedPage[]): void {
  const products = pages.filter(({ corpus }) => corpus === 'products');
  const rows = BASELINES.flatMap((name) => {
    const path = dataFile(`html-product-pages/baseline-${name}.json`);
    if (path === undefined) return [];
    const published = JSON.parse(readFileSync(path, 'utf8')) as Record<string, Answers>;
    const answers = new Map(Object.entries(published).map(([key, answer]) => [key.slice(0, 8), answer]));
    return [[name, cellsOf(products.map((page) => ({ page, answers: answers.get(page.name) })))] as const];
  });
  console.log('What was published for the product pages');
  console.table(Object.fromEntries(rows));
}
