import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { extractPage, pageRecords } from '../../../scrapers/extract/extract-page.ts';
import { findPageLinks, collectPageLinks } from '../../../scrapers/extract/links.ts';
import { nextPage } from '../../../scrapers/extract/next-page.ts';
import { parsePage } from '../../../scrapers/extract/page.ts';
import { extractStructured, structuredRecords } from '../../../scrapers/extract/structured.ts';
import { normalizePrice } from '../../../shared/normalize/price.ts';
import { readHtml, readRows } from '../../bench/extract-data.ts';
import { measureListingLinks, measureNextLinks, ratesOf } from '../../bench/extract-pages.ts';
import { disagreements, readExamples } from '../../bench/extract-syntaxes.ts';
import { readSavedPages } from '../../bench/extract-corpora.ts';
import { answersOf, FIELDS, scoreField } from '../../bench/extract-measures.ts';
import type { Field, Outcome } from '../../bench/extract-measures.ts';
import { readPages } from '../../bench/extract.ts';
import { dataFile } from '../../support/data.ts';

// Reads the shared data folder; skipped, loudly, where it is absent.
const listings = dataFile('html-listing-pages/manifest.csv');
const pagination = dataFile('html-pagination/labels.csv');
const examples = dataFile('html-schemaorg-examples/schemaorg-all-examples-30.0.txt.gz');
const products = dataFile('html-product-pages/ground-truth.json');

describe.skipIf(!products)('product pages', () => {
  const pages = readSavedPages().filter(({ corpus }) => corpus === 'products');
  const f1Of = (outcomes: Outcome[]) =>
    Object.fromEntries(FIELDS.map((field) => [field, scoreField(field, outcomes).f1])) as Record<Field, number>;
  let structured: Record<Field, number>;
  let whole: Record<Field, number>;
  let threw: number;
  beforeAll(() => {
    const alone: Outcome[] = [];
    const read = readPages(pages, (html, url) => {
      const page = parsePage(html, url);
      const answers = answersOf(structuredRecords(page));
      alone.push({ page: pages[alone.length]!, answers });
      return pageRecords(page, { mode: 'structured' });
    });
    [structured, whole, threw] = [f1Of(alone), f1Of(read.outcomes), read.threw];
  });

  test('structured data alone finds prices at least as well as the best open extractor, and no page throws', () => {
    expect(threw).toBe(0);
    const { price, sku, availability } = structured;
    expect(price).toBeGreaterThanOrEqual(0.67);
    expect(sku).toBeGreaterThanOrEqual(0.47);
    expect(availability).toBeGreaterThanOrEqual(0.6);
  });

  test('what the page shows adds to every field', () => {
    const { price, currency, sku, availability, brand } = whole;
    expect(price).toBeGreaterThanOrEqual(0.94);
    expect(currency).toBeGreaterThanOrEqual(0.92);
    expect(sku).toBeGreaterThanOrEqual(0.95);
    expect(availability).toBeGreaterThanOrEqual(0.95);
    expect(brand).toBeGreaterThanOrEqual(0.7);
  });
});

describe.skipIf(!listings)('list pages and portals', () => {
  const pages = readRows('html-listing-pages/manifest.csv') ?? [];
  const page = (file: string) => {
    const row = pages.find((entry) => entry.file === file);
    return {
      html: readHtml(`html-listing-pages/${file}`),
      url: row?.url || 'https://site.example/page',
    };
  };
  const expected = (name: string) =>
    JSON.parse(readFileSync(dataFile('html-listing-pages/expected-listings.json') ?? '', 'utf8'))[name] as {
      listings: { id: string; url?: string }[];
    } & Record<string, string | number>;

  test('every page is read without an error, and search pages give no record of their own', () => {
    const wrong = pages.flatMap(({ file = '', kind = '' }) => {
      const { html, url } = page(file);
      const parsed = parsePage(html, url);
      collectPageLinks(parsed);
      nextPage(parsed);
      const own = pageRecords(parsed, { mode: 'structured' }).filter((record) => record.url === url);
      return /search|list|directory/.test(kind) && own.length > 0 ? [file] : [];
    });
    expect(wrong).toEqual([]);
  });

  test.each([
    'extruct-schemaorg-product.html.gz',
    'extruct-schemaorg-product-ref.html.gz',
    'extruct-product-microdata.html.gz',
  ])('%s gives the expected product', (file) => {
    const { html, url } = page(file);
    expect(extractStructured(html, url)).toMatchObject([
      { title: 'Executive Anvil', brand: 'ACME', price: '119.99', currency: 'USD', availability: 'InStock' },
    ]);
  });

  test('microdata with a wide offer gives its low price, OpenGraph products theirs', () => {
    const micro = page('extruct-microdata-with-description.html.gz');
    expect(extractStructured(micro.html, micro.url)).toMatchObject([
      { title: 'Johnsons 4 Fleas Cats & Kittens Tablets', brand: 'Johnsons', price: '5.29', currency: 'GBP' },
    ]);
    const graph = page('extruct-opengraph-ns-product.html.gz');
    expect(extractStructured(graph.html, graph.url)).toMatchObject([
      { price: '17.99', currency: 'USD', sku: 'fye.000000032429335302', gtin: '32429335302', condition: 'new' },
    ]);
  });

  test('a car page agrees with the page state', () => {
    const truth = expected('autoscout24-de-detail-2026.html');
    const { html, url } = page('autoscout24-de-detail-2026.html.gz');
    const [record] = extractPage(html, url, { mode: 'structured' });
    expect(normalizePrice(record?.price ?? '', { currency: record?.currency })).toMatchObject({
      amount: truth.price,
      currency: truth.currency,
    });
    expect(record).toMatchObject({
      brand: truth.make,
      model: truth.model,
      location: { country: truth.country, city: truth.city, postalCode: truth.zip },
      properties: {
        mileageFromOdometer: truth.mileage_text,
        productionDate: truth.first_registration,
        bodyType: truth.body,
      },
    });
  });

  test.each([
    'ski-it-again-table-2016.html',
    'leboncoin-cars-2015-p1.html',
    'leboncoin-cars-2015-p2.html',
    'autoscout24-de-search-2026.html',
  ])('the links of %s hold every listing', (name) => {
    const { html, url } = page(`${name}.gz`);
    const links = findPageLinks(html, url);
    const missing = expected(name).listings.filter(({ id }) => !links.some((link) => link.includes(id)));
    expect(missing).toEqual([]);
  });

  test('a marked-up search page gives its cars, each under its own address', () => {
    const { html, url } = page('leboncoin-cars-2018-search.html.gz');
    const records = extractStructured(html, url);
    expect(records.length).toBeGreaterThanOrEqual(24);
    expect(records[0]).toMatchObject({ url: expect.stringContaining('1424397699'), price: '800', currency: 'EUR' });
    expect(new Set(records.map((record) => record.url)).size).toBe(records.length);
  });
});

describe.skipIf(!listings)('the links to listings', () => {
  test('are found with a recall and a precision of 0.98', () => {
    const { recall, precision } = ratesOf(measureListingLinks());
    expect(recall).toBeGreaterThanOrEqual(0.98);
    expect(precision).toBeGreaterThanOrEqual(0.98);
  });
});

describe.skipIf(!pagination)('pagination', () => {
  test('next pages are found with a recall of 0.95 and a precision of 0.9', () => {
    const { recall, precision } = ratesOf(measureNextLinks());
    expect(recall).toBeGreaterThanOrEqual(0.95);
    expect(precision).toBeGreaterThanOrEqual(0.9);
  });
});

describe.skipIf(!examples)('the examples of schema.org', () => {
  test('say the same in all their syntaxes', () => {
    const told = (readExamples() ?? []).filter(({ answers }) => answers.some(({ record }) => record !== undefined));
    expect(told.length).toBeGreaterThan(10);
    expect(told.filter(({ answers }) => answers.some(({ record }) => record === undefined))).toEqual([]);
    expect(told.flatMap((example) => disagreements(example).map((field) => [example.head, field]))).toEqual([]);
  });
});
