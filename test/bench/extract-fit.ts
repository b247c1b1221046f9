import { writeFileSync } from 'node:fs';
import type { Features, Weights } from '../../scrapers/extract/choice-model.ts';
import { readMetaTags } from '../../scrapers/extract/opengraph.ts';
import { canonicalUrl } from '../../scrapers/extract/identity.ts';
import { parsePage } from '../../scrapers/extract/page.ts';
import type { Page } from '../../scrapers/extract/page.ts';
import { findPriceCandidates } from '../../scrapers/extract/price-candidates.ts';
import { priceFeatures } from '../../scrapers/extract/price-features.ts';
import { readOwnLayout, readVisibleEvidence } from '../../scrapers/extract/readable.ts';
import type { ReaderWeights, VisibleEvidence } from '../../scrapers/extract/readable.ts';
import { readStock } from '../../scrapers/extract/readable-stock.ts';
import { readSavedPages } from './extract-corpora.ts';
import type { SavedPage } from './extract-corpora.ts';
import { fitLogit } from './extract-logit.ts';
import { isRight } from './extract-measures.ts';

const RIDGE = 0.005;
/** The sources of codes and names are many and the pages that teach them few: what is known beforehand counts for more. */
const SOURCE_RIDGE = { sku: 0.02, brand: 0.03 };
/** Words in names that fewer sites have in common are theirs alone. */
const minSitesOf = (name: string) => (name.startsWith('named:') ? 12 : 3);
/** What is known beforehand, in every language: too few of the pages have such labels in theirs to teach it. */
const PRICE_PRIOR = {
  ...{ struck: -2, hidden: -1, away: -1, cell: -1, sign: 1, 'own-price': 1, first: 0.5 },
  ...{ 'label-price': 0.5, 'label-former': -2, 'named-former': -1.5, 'label-carriage': -1.5, 'label-rate': -1 },
  ...{ 'after-rate': -1.5, 'after-carriage': -0.5, 'row-rate': -0.5, 'row-carriage': -0.5 },
  ...{ 'section-rate': -0.5, 'section-carriage': -0.5, 'named-carriage': -1, 'named-rate': -1 },
};
const SKU_PRIOR = {
  ...{ 'label-sku': 4, 'line-sku': 3, 'label-model': 0.5, 'key-sku': 1.5, 'key-id': 0.7, 'key-other': -0.5 },
  ...{ 'in-url': 1.5, confirmed: 1.5, 'url-last-part': 1, 'url-last': 0.5, 'long-number': 0.5, year: -2, short: -1 },
};
const BRAND_PRIOR = {
  ...{ label: 8, meta: 8, link: 6, line: 5, named: 5, opener: 5, attribute: 3, key: 3, logo: 3, crumb: 1, near: 1 },
  ...{
    'in-title': 1,
    'opens:1': 1,
    'opens-page:1': 1,
    capital: 0.5,
    digits: -2,
    words: -1,
    site: -1,
    'site-tag': -0.5,
  },
};
const SKU_FILE = new URL('../../scrapers/extract/sku-weights.json', import.meta.url);
const BRAND_FILE = new URL('../../scrapers/extract/brand-weights.json', import.meta.url);
const PRICE_FILE = new URL('../../scrapers/extract/price-weights.json', import.meta.url);
const PAGE_FILE = new URL('../../scrapers/extract/page-weights.json', import.meta.url);

/** The alternatives of one choice with their features, and which of them are right. */
type Alternatives = { features: Features[]; isRight: boolean[] };
/** A page with its markup hidden as the models see it: what is absent teaches nothing. */
export type Sample = { page: SavedPage } & Partial<Record<'price' | 'sku' | 'brand', Alternatives>>;

/** The same page without anything written for machines: what is left must be read as a visitor does. */
export function hideMarkup(html: string): string {
  return html
    .replace(/<script[^>]*ld\+json[\s\S]*?<\/script>/gi, '')
    .replace(/<meta[^>]+(?:og:|product:|twitter:)[^>]*>/gi, '')
    .replace(/<[a-z][^<>]*\s(?:itemprop|itemtype|itemscope|typeof|property)[=\s>][^<>]*>?/gi, (tag) =>
      tag
        .replace(
          /\s(?:itemprop|itemtype|itemscope|typeof|property|content|itemid)(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>"']+))?(?=[\s/>])/gi,
          '',
        )
        .replace(/\shref=["']?https?:\/\/schema\.org[^\s>]*/gi, ''),
    );
}

/** Reads what price, article number and brand are chosen from on every page where they are known, with the markup hidden. */
export function readSamples(pages: readonly SavedPage[]): Sample[] {
  return pages.map((page): Sample => {
    const { truth, isPrinted } = page;
    if (truth.price === undefined && truth.sku === undefined && truth.brand === undefined) return { page };
    const parsed = parsePage(hideMarkup(page.readHtml()), page.url);
    const { layout } = readOwnLayout(parsed);
    const prices = findPriceCandidates(layout);
    const { candidates } = readEvidence(parsed, {});
    const skus = truth.sku ? candidates.readSkus() : [];
    const brands = truth.brand ? candidates.readBrands() : [];
    return {
      page,
      price:
        truth.price && isPrinted
          ? {
              features: priceFeatures(layout, prices, readStock(layout).buttons),
              isRight: prices.map(({ amount }) => isRight('price', String(amount), truth)),
            }
          : undefined,
      sku: truth.sku && {
        features: skus.map(({ features }) => features),
        isRight: skus.map(({ code }) => isRight('sku', code, truth)),
      },
      brand: truth.brand && {
        features: brands.map(({ features }) => features),
        isRight: brands.map(({ name }) => isRight('brand', name, truth)),
      },
    };
  });
}

/** Learns which of a page's amounts, codes and names are the price asked, the article number and the brand. */
export function fitChoices(samples: readonly Sample[]): Required<Pick<ReaderWeights, 'price' | 'sku' | 'brand'>> {
  const choicesOf = (field: 'price' | 'sku' | 'brand') =>
    samples.flatMap(({ page, [field]: choice }) =>
      choice ? [{ group: page.domain, alternatives: choice.features, isRight: choice.isRight }] : [],
    );
  return {
    price: fitLogit(choicesOf('price'), RIDGE, minSitesOf, PRICE_PRIOR),
    sku: fitLogit(choicesOf('sku'), SOURCE_RIDGE.sku, minSitesOf, SKU_PRIOR),
    brand: fitLogit(choicesOf('brand'), SOURCE_RIDGE.brand, minSitesOf, BRAND_PRIOR),
  };
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
  return readEvidence(parsePage(hideMarkup(page.readHtml()), page.url), weights).readFeatures();
}

function readEvidence(page: Page, weights: ReaderWeights): VisibleEvidence {
  return readVisibleEvidence(page, readMetaTags(page), canonicalUrl(page), weights);
}

/** Learns the weights of the visible reader from all saved pages and writes them beside it. */
export function benchExtractFit(): Promise<void> {
  const pages = readSavedPages();
  if (pages.length === 0) return Promise.resolve();
  const choices = fitChoices(readSamples(pages));
  write(PRICE_FILE, choices.price);
  write(SKU_FILE, choices.sku);
  write(BRAND_FILE, choices.brand);
  const detail = fitDetail(pages.map((page) => ({ page, features: readPageFeatures(page, choices) })));
  write(PAGE_FILE, detail);
  console.log(
    `${pages.length} pages: ${Object.entries({ ...choices, detail })
      .map(([name, weights]) => `${Object.keys(weights).length} weights of ${name}`)
      .join(', ')}`,
  );
  return Promise.resolve();
}

function write(file: URL, weights: Weights): void {
  const sorted = Object.entries(weights).toSorted(([, a], [, b]) => Math.abs(b) - Math.abs(a));
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(sorted), undefined, 2)}\n`);
}
