import { readFileSync } from 'node:fs';
import { extractStructured } from '../../scrapers/extract/structured.ts';
import type { RawRecord } from '../../shared/normalize/record-type.ts';
import { normalizePrice } from '../../shared/normalize/price.ts';
import { dataFile } from '../support/data.ts';
import { readHtml, readRows } from './extract-data.ts';

/** Accepted values by field; a field that is absent is not known, an empty one is known to have no value. */
export type Truth = Partial<Record<'price' | 'currency' | 'sku' | 'availability' | 'brand', string[]>>;

/** A saved page with what is known of it. */
export type SavedPage = {
  corpus: 'products' | 'more' | 'listings';
  name: string;
  /** The shop or portal, whatever its country: amazon.de and amazon.it are one. */
  domain: string;
  url: string;
  /** Saved before 2018, as far as the dates in it tell. */
  isOld: boolean;
  /** It shows one thing; a page that does not owes no record and no price. */
  isItem: boolean;
  /** The price is printed where a reader sees it. */
  isPrinted: boolean;
  truth: Truth;
  /** The markup taught the truth: with it hidden only what the page says elsewhere is owed. */
  isTaughtByMarkup: boolean;
  readHtml: () => string;
};

/** Syntax snippets of a tool's tests: no pages of a shop. */
const SNIPPET = /^extruct-/;
/** Truths that take the point of Chilean thousands for a decimal one. */
const MISPRINTS = new Map([
  ['puntoticket 3.34', '3340'],
  ['puntoticket 5', '5000'],
]);
/** Pages of one thing whose markup does not say so. */
const UNPRICED_ITEM =
  /^(?:autoevolution|leboncoin-car-2018-detail|fs-www\.(?:alo\.bg-4|sidneyphillips\.co\.uk-0|cafepress\.com-1|thebookpeople\.co\.uk-2))/;

/** All saved pages of shops and portals; empty where the data folder is absent. */
export function readSavedPages(): SavedPage[] {
  return [...readProducts(), ...readMore(), ...readListings(), ...readPaginated()];
}

/** The name that a site is registered by, without what stands before and behind it: `www.amazon.co.uk` -> amazon. */
export function siteNameOf(host: string): string {
  const labels = host.toLowerCase().split('.').slice(0, -1);
  return labels.findLast((label) => !/^(?:com?|net|org|ac|gov)$/.test(label)) ?? host;
}

function readProducts(): SavedPage[] {
  const path = dataFile('html-product-pages/ground-truth.json');
  if (path === undefined) return [];
  const rows = JSON.parse(readFileSync(path, 'utf8')) as Record<string, Truth & { url: string }>;
  return Object.entries(rows).map(([name, { url, ...truth }]): SavedPage => {
    const { price = [], currency = [], sku = [], availability = [], brand = [] } = truth;
    return {
      corpus: 'products',
      name: name.slice(0, 8),
      domain: siteNameOf(new URL(url).hostname),
      url,
      isOld: false,
      isItem: true,
      isPrinted: true,
      truth: {
        price: price.map((each) => MISPRINTS.get(`${siteNameOf(new URL(url).hostname)} ${each}`) ?? each.trim()),
        currency,
        sku,
        availability,
        brand,
      },
      isTaughtByMarkup: false,
      readHtml: () => readHtml(`html-product-pages/html/${name}.html.gz`),
    };
  });
}

type MorePage = Record<'file' | 'domain' | 'kind', string> &
  Record<'url' | 'markup_price' | 'markup_currency' | 'read_price' | 'read_currency', string | null> & {
    price_in_text: boolean | null;
  };

function readMore(): SavedPage[] {
  const path = dataFile('html-more-pages/pages.jsonl');
  if (path === undefined) return [];
  const rows = readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as MorePage);
  return rows.map((row): SavedPage => {
    const read = () => readHtml(`html-more-pages/${row.file}`);
    const price = row.markup_price ?? row.read_price;
    const currency = row.markup_currency ?? row.read_currency;
    const isItem = row.kind !== 'list';
    const url = row.url ?? `https://www.${row.domain}/`;
    return {
      corpus: 'more',
      name: row.file.slice(0, 3),
      domain: siteNameOf(row.domain),
      url,
      isOld: yearOf(read()) < 2018,
      isItem,
      isPrinted: row.price_in_text !== false,
      truth: {
        ...(price === null ? !isItem && { price: [] } : { price: [price] }),
        ...(currency !== null && { currency: [currency] }),
        ...(isItem && readMarkupTruth(extractStructured(read(), url))),
      },
      isTaughtByMarkup: true,
      readHtml: read,
    };
  });
}

/** What the markup of a page's one thing says beside the price. */
function readMarkupTruth([record, ...others]: RawRecord[]): Truth {
  if (!record || others.length > 0) return {};
  const { sku, availability, brand } = record;
  return {
    ...(sku !== undefined && { sku: [sku] }),
    ...(availability !== undefined && { availability: [isOut(availability) ? 'OutOfStock' : 'InStock'] }),
    ...(brand !== undefined && { brand: [brand] }),
  };
}

const OUT = new Set(['OutOfStock', 'SoldOut', 'Discontinued']);
/** Whether an ItemAvailability means that a thing cannot be had. */
export const isOut = (availability: string): boolean => OUT.has(availability);

/** The newest year of its dates and copyright notes. */
function yearOf(html: string): number {
  const dates = html.matchAll(/(?:&copy;|©|copyright)[^<]{0,30}?(20[0-2]\d)(?!\d)|(?<!\d)(20[0-2]\d)[-/][01]\d[-/]/gi);
  return Math.max(0, ...[...dates].map(([, note, date]) => Number(note ?? date)));
}

/** Pages of portals and shops: things whose markup names their price, and pages that show no thing of their own. */
function readListings(): SavedPage[] {
  const rows = readRows('html-listing-pages/manifest.csv') ?? [];
  return rows.flatMap(({ file = '', kind = '', url = '' }): SavedPage[] => {
    if (SNIPPET.test(file)) return [];
    const read = () => readHtml(`html-listing-pages/${file}`);
    const address = url || 'https://site.example/';
    const records = extractStructured(read(), address);
    const [record, ...others] = records;
    const price = record?.price === undefined ? undefined : normalizePrice(record.price, { currency: record.currency });
    const isPriced = others.length === 0 && price !== undefined && price.amount > 0;
    const isList = /search|list|directory/.test(kind);
    return [
      {
        corpus: 'listings',
        name: file.replace('.html.gz', ''),
        domain: siteNameOf(new URL(address).hostname),
        url: address,
        isOld: !file.includes('2026') && yearOf(read()) < 2018,
        isItem: isPriced || UNPRICED_ITEM.test(file),
        isPrinted: true,
        truth: {
          ...(isPriced ? { price: [String(price.amount)], currency: [price.currency] } : isList && { price: [] }),
          ...(isPriced && readMarkupTruth(records)),
        },
        isTaughtByMarkup: true,
        readHtml: read,
      },
    ];
  });
}

/** List pages of many sites, known by the label of their next link. */
function readPaginated(): SavedPage[] {
  const rows = readRows('html-pagination/labels.csv') ?? [];
  return rows.flatMap((row): SavedPage[] => {
    const { 'File Name': file = '', 'Page URL': url = '', NEXT: next = '' } = row;
    const read = () => readHtml(`html-pagination/${file}.html.gz`);
    if (next === '' || !URL.canParse(url) || extractStructured(read(), url).length === 1) return [];
    const domain = siteNameOf(new URL(url).hostname);
    return [
      {
        corpus: 'listings',
        name: `next-${file}`,
        domain,
        url,
        isOld: yearOf(read()) < 2018,
        isItem: false,
        isPrinted: true,
        truth: {},
        isTaughtByMarkup: true,
        readHtml: read,
      },
    ];
  });
}
