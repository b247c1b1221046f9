import type { RawRecord } from '../../shared/normalize/record-type.ts';
import { chooseAmong, chooseBest } from './choice-model.ts';
import type { Features, Weights } from './choice-model.ts';
import { findBrandCandidates } from './brand-candidates.ts';
import type { BrandCandidate } from './brand-candidates.ts';
import brandWeights from './brand-weights.json' with { type: 'json' };
import { isPrinted, namesOf, readLayout, nameWordsOf } from './layout.ts';
import type { Layout } from './layout.ts';
import { listedCards } from './listing-links.ts';
import type { ListedCard } from './listing-links.ts';
import { readImages } from './main-images.ts';
import { readMainText } from './main-text.ts';
import type { MetaTags } from './opengraph.ts';
import { isElement } from '../../shared/kit/html/dom.ts';
import type { Page } from './page.ts';
import { pageFeatures } from './page-features.ts';
import pageWeights from './page-weights.json' with { type: 'json' };
import { readFacts } from './readable-facts.ts';
import { readShownPrices } from './readable-price.ts';
import type { ShownPrice, ShownPrices } from './readable-price.ts';
import { findSkuCandidates } from './sku-candidates.ts';
import type { SkuCandidate } from './sku-candidates.ts';
import skuWeights from './sku-weights.json' with { type: 'json' };
import { currencyOfPrinted } from './site-currency.ts';
import { readStock } from './readable-stock.ts';
import type { ShownStock } from './readable-stock.ts';
import { lineOf, collapseWhitespace } from '../../shared/kit/html/text.ts';

const MIN_DETAIL = 0.5;
/** Nearly every thing has an article number: one that is half as probable as none is still worth to be known. */
const MIN_SKU = 0.2;
const MIN_BRAND = 0.5;

/** The visible evidence of a page's own thing. */
export type VisibleEvidence = {
  facts: Partial<RawRecord>;
  /** What the page's `h1` says of its thing. */
  heading?: string;
  /** What speaks for the page showing one thing for sale. */
  readFeatures: () => Features;
  prices: ShownPrices;
  stock: ShownStock;
  /** The article number, read at the first use. */
  readSku: () => ShownSku | undefined;
  /** True for a text that a reader finds on the page. */
  isPrinted: (text: string) => boolean;
  /** What article number and brand are chosen from. */
  candidates: { readSkus: () => SkuCandidate[]; readBrands: () => BrandCandidate[] };
};

/** Weights other than those that were learnt from all pages: for measuring on pages that taught them nothing. */
export type ReaderWeights = { price?: Weights; detail?: Weights; sku?: Weights; brand?: Weights };

/** An article number read from a page, and how probable it is beside none at all. */
export type ShownSku = SkuCandidate & { probability: number };

type Known = Pick<RawRecord, 'title' | 'availability'> & {
  price: ShownPrice | undefined;
  properties: Record<string, string>;
  readSku: () => ShownSku | undefined;
  readBrand: () => string | undefined;
};

/** The facts of a page, of which those that cost something are looked for when no stronger evidence has them. */
class ShownFacts {
  readonly title: string | undefined;
  readonly price: string | undefined;
  readonly availability: string | undefined;
  readonly properties: Record<string, string> | undefined;
  readonly language: string | undefined;
  readonly #layout: Layout;
  readonly #tags: MetaTags;
  readonly #known: Known;
  readonly #found: Partial<RawRecord> = {};

  constructor(layout: Layout, tags: MetaTags, known: Known) {
    this.title = known.title;
    this.price = known.price?.text;
    this.availability = known.availability;
    this.properties = Object.keys(known.properties).length > 0 ? known.properties : undefined;
    this.language = readLanguage(layout.page, tags);
    this.#layout = layout;
    this.#tags = tags;
    this.#known = known;
  }

  get description(): string | undefined {
    return this.#once('description', () => readDescription(this.#layout, this.#tags));
  }

  get sku(): string | undefined {
    const sku = this.#known.readSku();
    return sku && (sku.isLabelled || sku.features.has('confirmed')) ? sku.code : undefined;
  }

  get currency(): string | undefined {
    const { price } = this.#known;
    return price && this.#once('currency', () => currencyOfPrinted(price, this.#layout.page, this.#tags));
  }

  get brand(): string | undefined {
    return this.#known.readBrand();
  }

  get breadcrumbs(): string[] | undefined {
    return this.#once('breadcrumbs', () => readTrail(this.#layout));
  }

  get images(): RawRecord['images'] {
    return this.#once('images', () => readImages(this.#layout, this.title));
  }

  #once<Name extends keyof RawRecord>(name: Name, find: () => RawRecord[Name]): Partial<RawRecord>[Name] {
    if (!(name in this.#found)) this.#found[name] = find();
    return this.#found[name];
  }
}

/**
 * What the visible page says where structured data is silent: heading, description, labelled facts, the price asked, stock,
 * brand, article number, images, language. The weakest evidence: a statement to be used last.
 */
export function readVisibleEvidence(
  page: Page,
  tags: MetaTags,
  url: string,
  weights: ReaderWeights = {},
): VisibleEvidence {
  const { cards, layout } = readOwnLayout(page);
  const properties = readFacts(layout);
  const title = readTitle(layout, tags);
  const stock = readStock(layout);
  const prices = readShownPrices(layout, stock.buttons, weights.price);
  const price = prices.asked;
  const readSkus = () => findSkuCandidates(layout, properties, tags, url);
  const readBrands = () =>
    findBrandCandidates(layout, tags, { title, breadcrumbs: facts.breadcrumbs ?? [], properties, url });
  const readSku = once(() => {
    const best = chooseBest(readSkus(), weights.sku ?? skuWeights, MIN_SKU);
    return best && { ...best.chosen, probability: best.probability };
  });
  const readBrand = once(() => chooseBest(readBrands(), weights.brand ?? brandWeights, MIN_BRAND)?.chosen.name);
  const facts = new ShownFacts(layout, tags, {
    title,
    price,
    availability: stock.availability ?? (price ? 'InStock' : undefined),
    properties,
    readSku,
    readBrand,
  });
  return {
    facts,
    heading: layout.heading?.name === 'h1' ? title : undefined,
    readFeatures: () => pageFeatures({ layout, url, tags, cards, prices, stock, sku: readSku(), facts }),
    prices,
    stock,
    readSku,
    isPrinted: (text) => isPrinted(layout, text),
    candidates: { readSkus, readBrands },
  };
}

function once<T>(find: () => T): () => T {
  let found: { value: T } | undefined;
  return () => (found ??= { value: find() }).value;
}

/** The layout of a page's own thing: the cards of the things that it lists are about others. */
export function readOwnLayout(page: Page): { cards: ListedCard[]; layout: Layout } {
  const cards = listedCards(page);
  return {
    cards,
    layout: readLayout(
      page,
      cards.flatMap(({ card, isPriced }) => (isPriced ? [card] : [])),
    ),
  };
}

/** Whether a page shows one thing for sale, by a logistic model of what was read of it. */
export function isDetail({ facts, readFeatures }: VisibleEvidence, weights: Weights = pageWeights): boolean {
  if (facts.title === undefined) return false;
  const [probability = 0] = chooseAmong([readFeatures()], weights);
  return probability >= MIN_DETAIL;
}

/** The page's language as `<html lang>` or its meta tags say it, a two-letter code, or undefined. */
export function readLanguage(page: Page, tags: MetaTags): string | undefined {
  const html = page.elements.find(({ name }) => name === 'html');
  const said =
    html?.attribs.lang ?? html?.attribs['xml:lang'] ?? tags.get('og:locale')?.[0] ?? tags.get('language')?.[0];
  return /^\s*([a-z]{2})(?:[-_]|\s*$)/i.exec(said ?? '')?.[1]?.toLowerCase();
}

function readTitle(layout: Layout, tags: MetaTags): string | undefined {
  const heading = layout.heading && lineOf(layout.heading, 500);
  if (heading) return heading;
  const title = layout.page.elements.find(({ name }) => name === 'title');
  const text = tags.get('og:title')?.[0] ?? (title && lineOf(title, 500));
  return text === undefined
    ? undefined
    : collapseWhitespace(text)
        .trim()
        .replace(/ [|–—-] [^|–—-]{2,40}$/, '')
        .trim() || undefined;
}

/** A summary for search engines stands in where the page itself says little. */
function readDescription(layout: Layout, tags: MetaTags): string | undefined {
  const text = readMainText(layout);
  const summary = tags.get('description')?.[0];
  return text !== undefined && text.length >= (summary?.length ?? 0) ? text : (summary ?? text);
}

function readTrail(layout: Layout): string[] | undefined {
  for (const element of layout.page.elements) {
    const isTrail =
      (namesOf(element) !== '' &&
        /crumb/i.test(namesOf(element)) &&
        nameWordsOf(element).some((word) => /^(?:bread)?crumbs?$/.test(word))) ||
      (element.attribs['aria-label'] !== undefined && /breadcrumb/i.test(element.attribs['aria-label']));
    if (!isTrail) continue;
    const names = element.children.filter(isElement).length === 0 ? [] : linkTexts(element);
    if (names.length >= 2 && names.length <= 12) return names;
  }
  return undefined;
}

function linkTexts(element: Layout['page']['elements'][number]): string[] {
  const names: string[] = [];
  const stack = element.children.filter(isElement).toReversed();
  for (let next = stack.pop(); next && names.length <= 12; next = stack.pop()) {
    if (next.name !== 'a') {
      stack.push(...next.children.filter(isElement).toReversed());
      continue;
    }
    const name = lineOf(next, 200);
    if (name !== '' && name.length <= 100) names.push(name);
  }
  return names;
}
