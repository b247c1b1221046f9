import type { Features } from './choice-model.ts';
import { nameWordsOf } from './layout.ts';
import type { Layout } from './layout.ts';
import type { ListedCard } from './listing-links.ts';
import type { MetaTags } from './opengraph.ts';
import type { ShownPrices } from './readable-price.ts';
import type { ShownStock } from './readable-stock.ts';
import { shapeOf } from './url-shape.ts';
import type { RawRecord } from '../../shared/normalize/record-type.ts';

const THING = /^(?:product|detail|details|item|listing|property|offer|ad|expose|pdp|vehicle|boat|goods)$/;
const OTHER =
  /^(?:search|category|results?|list|home|index|login|register|cart|checkout|account|contact|blog|news|forum|thread|article|help|faq)$/;
const FIELDS = new Set(['text', 'email', 'tel', 'password', 'search']);

/** What was read of a page before it is decided whether the page is about one thing for sale. */
export type ReadPage = {
  layout: Layout;
  url: string;
  tags: MetaTags;
  cards: readonly ListedCard[];
  prices: ShownPrices;
  stock: ShownStock;
  sku: { probability: number } | undefined;
  facts: Partial<RawRecord>;
};

/** What speaks for a page being about one thing that is for sale, and against. */
export function pageFeatures({ layout, url, tags, cards, prices, stock, sku, facts }: ReadPage): Features {
  const features: Features = new Map();
  const set = (name: string, value: number | boolean = 1) => {
    if (value) features.set(name, Number(value));
  };
  const { elements } = layout.page;
  set('price', prices.asked?.probability ?? 0);
  set('prices', Math.min(Math.log2(1 + prices.amounts.size) / 6, 1));
  set('buy', stock.buttons.length > 0);
  set('buys', Math.min(Math.log2(1 + stock.buttons.length) / 5, 1));
  set('stock', stock.isMentioned);
  set('sku', sku?.probability ?? 0);
  set('brand', facts.brand !== undefined);
  set('facts', Math.min(Math.log2(1 + Object.keys(facts.properties ?? {}).length) / 6, 1));
  set('images', Math.min(Math.log2(1 + (facts.images?.length ?? 0)) / 4, 1));
  set('text', Math.min(Math.log2(1 + (facts.description?.length ?? 0)) / 12, 1));
  set('crumbs', facts.breadcrumbs !== undefined);
  set('heading', layout.heading !== undefined);
  set('h1', layout.heading?.name === 'h1');
  set('cards', Math.min(Math.log2(1 + cards.length) / 7, 1));
  set('priced-cards', cards.length > 0 && cards.filter(({ isPriced }) => isPriced).length / cards.length);
  set(`type:${(tags.get('og:type')?.[0] ?? 'none').toLowerCase()}`);
  const fields = elements.filter(
    ({ name, attribs }) => name === 'input' && FIELDS.has((attribs.type ?? 'text').toLowerCase()),
  );
  set('fields', Math.min(Math.log2(1 + fields.length) / 5, 1));
  set(
    'password',
    fields.some(({ attribs }) => attribs.type === 'password'),
  );
  const names = elements
    .filter(({ name }) => name === 'body' || name === 'html' || name === 'main')
    .flatMap(nameWordsOf);
  set(
    'named-thing',
    names.some((word) => THING.test(word)),
  );
  set(
    'named-other',
    names.some((word) => OTHER.test(word)),
  );
  if (!URL.canParse(url)) return features;
  const { pathname } = new URL(url);
  const parts = pathname.split('/').filter((part) => part !== '');
  const words = pathname.toLowerCase().split(/[^\p{L}]+/u);
  set('id', shapeOf(url).hasId);
  set('root', parts.length === 0);
  set('slug', Math.min((parts.at(-1)?.split(/[-_+]/).length ?? 0) / 8, 1));
  set(
    'path-thing',
    words.some((word) => THING.test(word)),
  );
  set(
    'path-other',
    words.some((word) => OTHER.test(word)),
  );
  return features;
}
