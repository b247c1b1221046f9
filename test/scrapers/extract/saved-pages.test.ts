import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { extractPage, pageRecords } from '../../../scrapers/extract/extract-page.ts';
import { findLinks, pageLinks } from '../../../scrapers/extract/links.ts';
import { findNextPage, nextPage } from '../../../scrapers/extract/next-page.ts';
import { parsePage, resolveUrl } from '../../../scrapers/extract/page.ts';
import { extractStructured } from '../../../scrapers/extract/structured.ts';
import { normalizePrice } from '../../../scrapers/normalize/price.ts';
import { measureExtraction } from '../../bench/extract.ts';
import { dataFile } from '../../support/data.ts';

// Reads the shared data folder; skipped, loudly, where it is absent.
const listings = dataFile('html-listing-pages/manifest.csv');
const pagination = dataFile('html-pagination/labels.csv');
const examples = dataFile('html-schemaorg-examples/schemaorg-all-examples-30.0.txt.gz');
const products = dataFile('html-product-pages/ground-truth.json');

function readCsv(path: string): Record<string, string>[] {
  const rows = readFileSync(path, 'utf8')
    .trim()
    .split(/\r?\n/)
    .map((line) =>
      [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].map(([, cell = '']) =>
        cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell,
      ),
    );
  const [head = [], ...rest] = rows;
  return rest.map((cells) => Object.fromEntries(head.map((name, index) => [name, cells[index] ?? ''])));
}

function readHtml(name: string, charset: string): string {
  const bytes = gunzipSync(readFileSync(dataFile(name) ?? ''));
  const label = charset.toLowerCase().replace(/^cp(?=125)/, 'windows-') || 'utf-8';
  return new TextDecoder(label).decode(bytes);
}

describe.skipIf(!products)('product pages', () => {
  test('structured data alone finds prices at least as well as the best open extractor, and no page throws', () => {
    const result = measureExtraction(extractStructured);
    expect(result?.threw).toBe(0);
    expect(result?.scores.price.f1).toBeGreaterThanOrEqual(0.67);
    expect(result?.scores.sku.f1).toBeGreaterThanOrEqual(0.47);
    expect(result?.scores.availability.f1).toBeGreaterThanOrEqual(0.6);
  });

  test('what the page shows adds to every field', () => {
    const result = measureExtraction((html, url) => extractPage(html, url, { mode: 'structured' }));
    expect(result?.threw).toBe(0);
    expect(result?.scores.price.f1).toBeGreaterThanOrEqual(0.88);
    expect(result?.scores.currency.f1).toBeGreaterThanOrEqual(0.88);
    expect(result?.scores.sku.f1).toBeGreaterThanOrEqual(0.7);
    expect(result?.scores.availability.f1).toBeGreaterThanOrEqual(0.88);
    expect(result?.scores.brand.f1).toBeGreaterThanOrEqual(0.78);
  });
});

describe.skipIf(!listings)('list pages and portals', () => {
  const pages = listings === undefined ? [] : readCsv(listings);
  const page = (file: string) => {
    const row = pages.find((entry) => entry.file === file);
    return {
      html: readHtml(`html-listing-pages/${file}`, charsetOf(row?.charset)),
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
      pageLinks(parsed);
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
    const links = findLinks(html, url);
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

describe.skipIf(!pagination)('pagination', () => {
  test('next pages are found with a recall of 0.88 and a precision of 0.82', () => {
    let right = 0;
    let given = 0;
    let wanted = 0;
    for (const row of pagination === undefined ? [] : readCsv(pagination)) {
      const file = `html-pagination/${row['File Name']}.html.gz`;
      const url = row['Page URL'] ?? '';
      const html = readHtml(file, row.Encoding ?? '');
      const page = parsePage(html, url);
      const labelled = row.NEXT ? page.$(row.NEXT).toArray() : [];
      const hrefs = labelled.flatMap((element) => {
        const anchor = page.$(element).is('a')
          ? page.$(element)
          : page.$(element).find('a').add(page.$(element).closest('a'));
        const href = anchor.attr('href');
        return href === undefined ? [] : [resolveUrl(href, page.base)];
      });
      const found = findNextPage(html, url);
      if (hrefs.length > 0) wanted += 1;
      if (found !== undefined) given += 1;
      if (found !== undefined && hrefs.includes(found)) right += 1;
    }
    expect(right / wanted).toBeGreaterThanOrEqual(0.88);
    expect(right / given).toBeGreaterThanOrEqual(0.82);
  });
});

describe.skipIf(!examples)('the examples of schema.org', () => {
  const texts = examples === undefined ? '' : gunzipSync(readFileSync(examples)).toString('utf8');
  const parts = texts
    .split(/^TYPES:/m)
    .slice(1)
    .map((block) => {
      const [head = '', ...rest] = block.split(/^(PRE-MARKUP|MICRODATA|RDFA|JSON):\s*$/m);
      const markup = new Map<string, string>();
      for (let at = 0; at < rest.length; at += 2) markup.set(rest[at] ?? '', rest[at + 1] ?? '');
      return { head: head.trim(), markup };
    });

  test('all are read, and the three syntaxes of one thing mostly agree', () => {
    expect(parts.length).toBe(507);
    let compared = 0;
    let agreeing = 0;
    for (const { markup } of parts) {
      const answers = ['MICRODATA', 'RDFA', 'JSON']
        .map((syntax) => markup.get(syntax)?.trim() ?? '')
        .filter((source) => source.length > 40)
        .map((source) => extractStructured(`<body>${source}</body>`, 'https://site.example/page'))
        .map((records) =>
          JSON.stringify(
            records.map(({ title, price, currency, sku, availability }) => [title, price, currency, sku, availability]),
          ),
        );
      const filled = answers.filter((answer) => answer !== '[]');
      if (filled.length < 2) continue;
      compared += 1;
      if (new Set(filled).size === 1) agreeing += 1;
    }
    expect(compared).toBeGreaterThan(15);
    expect(agreeing / compared).toBeGreaterThanOrEqual(0.65);
  });
});

/** The manifest names the charset as the page declares it; some pages declare what no decoder knows. */
function charsetOf(declared = ''): string {
  const label = declared.toLowerCase();
  return /^(?:windows-125\d|iso-8859-\d+|shift_jis|koi8-r)$/.test(label) ? label : 'utf-8';
}
