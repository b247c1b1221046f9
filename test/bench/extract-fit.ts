import { writeFileSync } from 'node:fs';
import type { Features, Weights } from '../../scrapers/extract/choice-model.ts';
import { readMetaTags } from '../../scrapers/extract/opengraph.ts';
import { parsePage } from '../../scrapers/extract/page.ts';
import { findPriceCandidates } from '../../scrapers/extract/price-candidates.ts';
import { priceFeatures } from '../../scrapers/extract/price-features.ts';
import { readOwnLayout, readVisibleEvidence } from '../../scrapers/extract/readable.ts';
import type { ReaderWeights } from '../../scrapers/extract/readable.ts';
import { readStock } from '../../scrapers/extract/readable-stock.ts';
import { readSavedPages } from './extract-corpora.ts';
import type { SavedPage } from './extract-corpora.ts';
import { fitLogit } from './extract-logit.ts';
import { isRight } from './extract-measures.ts';

const RIDGE = 0.005;
/** Words in names that fewer sites have in common are theirs alone. */
const minSitesOf = (name: string) => (name.startsWith('named:') ? 12 : 3);
/** What is known beforehand, in every language: too few of the pages have such labels in theirs to teach it. */
const PRICE_PRIOR = {
  ...{ struck: -2, hidden: -1, away: -1, cell: -1, sign: 1, 'own-price': 1, first: 0.5 },
  ...{ 'label-price': 0.5, 'label-former': -2, 'named-former': -1.5, 'label-carriage': -1.5, 'label-rate': -1 },
  ...{ 'after-rate': -1.5, 'after-carriage': -0.5, 'row-rate': -0.5, 'row-carriage': -0.5 },
  ...{ 'section-rate': -0.5, 'section-carriage': -0.5, 'named-carriage': -1, 'named-rate': -1 },
};
const PRICE_FILE = new URL('../../scrapers/extract/price-weights.json', import.meta.url);
const PAGE_FILE = new URL('../../scrapers/extract/page-weights.json', import.meta.url);

/** A page with its markup hidden as the models see it. */
export type Sample = { page: SavedPage; prices?: Features[]; isPrice: boolean[] };

/** The same page without anything written for machines: what is left must be read as a visitor does. */
export function hideMarkup(html: string): string {
  return html
    .replace(/<script[^>]*ld\+json[\s\S]*?<\/script>/gi, '')
    .replace(/\s(?:itemprop|itemtype|itemscope|typeof|property)(?==|[\s>])/gi, ' data-gone')
    .replace(/<meta[^>]+(?:og:|product:|twitter:)[^>]*>/gi, '');
}

/** Reads the candidates of every page whose price is known, with the markup hidden. */
export function readSamples(pages: readonly SavedPage[]): Sample[] {
  return pages.map((page) => {
    const { truth, isPrinted } = page;
    if (truth.price === undefined || !isPrinted) return { page, isPrice: [] };
    const { layout } = readOwnLayout(parsePage(hideMarkup(page.readHtml()), page.url));
    const candidates = findPriceCandidates(layout);
    return {
      page,
      prices: priceFeatures(layout, candidates, readStock(layout).buttons),
      isPrice: candidates.map(({ amount }) => isRight('price', String(amount), truth)),
    };
  });
}

/** Learns which of a page's amounts is the price asked. */
export function fitPrice(samples: readonly Sample[]): Weights {
  const choices = samples.flatMap(({ page, prices, isPrice }) =>
    prices ? [{ group: page.domain, alternatives: prices, isRight: isPrice }] : [],
  );
  return fitLogit(choices, RIDGE, minSitesOf, PRICE_PRIOR);
}

/** Learns which pages show one thing for sale; what they show of prices is read with the weights given. */
export function fitDetail(pages: readonly { page: SavedPage; features: Features }[]): Weights {
  const choices = pages.map(({ page, features }) => ({
    group: page.domain,
    alternatives: [features],
    isRight: [page.isItem],
  }));
  return fitLogit(choices, RIDGE, minSitesOf);
}

/** What speaks for a page showing one thing, with its markup hidden. */
export function readPageFeatures(page: SavedPage, weights: ReaderWeights): Features {
  const parsed = parsePage(hideMarkup(page.readHtml()), page.url);
  return readVisibleEvidence(parsed, readMetaTags(parsed), page.url, weights).readFeatures();
}

/** Learns the weights of the visible reader from all saved pages and writes them beside it. */
export function benchExtractFit(): Promise<void> {
  const pages = readSavedPages();
  if (pages.length === 0) return Promise.resolve();
  const price = fitPrice(readSamples(pages));
  write(PRICE_FILE, price);
  const detail = fitDetail(pages.map((page) => ({ page, features: readPageFeatures(page, { price }) })));
  write(PAGE_FILE, detail);
  console.log(
    `${pages.length} pages: ${Object.keys(price).length} weights of prices, ${Object.keys(detail).length} of pages`,
  );
  return Promise.resolve();
}

function write(file: URL, weights: Weights): void {
  const sorted = Object.entries(weights).toSorted(([, a], [, b]) => Math.abs(b) - Math.abs(a));
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(sorted), undefined, 2)}\n`);
}
