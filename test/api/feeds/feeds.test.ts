import { load } from 'cheerio';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type Json, type TestApp, type TestUser } from '../../support/app.ts';
import { listingBody } from '../../support/listing-bodies.ts';
import { formOf, newPhoto } from '../../support/pictures.ts';

let app: TestApp;
let seller: TestUser;
let shown: Json;
let unpriced: Json;
let wanted: Json;
let bare: Json;
beforeAll(async () => {
  app = await startApp();
  seller = await app.createUser({ name: 'Olga & Søn <AS>' });
  const raw = formOf([['file', await newPhoto(640, 480)]]);
  const { body: image } = await app.as(seller).post('/api/upload', undefined, { raw });
  const publish = async (fields: object) => {
    const { body } = await app
      .as(seller)
      .post('/api/listings', listingBody({ images: [{ url: image.url }], ...fields }));
    expect((await app.as(seller).post(`/api/listings/${body.id}/publish`)).status).toBe(200);
    return (await app.as().get(`/api/listings/${body.id}`)).body;
  };
  const location = { country: 'DE', city: 'Kiel', shipping: false };
  shown = await publish({ title: 'Bavaria <b>37</b> & "more" ]]> Möwe', attributes: { brand: 'Bavaria' } });
  unpriced = await publish({ price: { amount: 0, currency: 'EUR', negotiable: false } });
  wanted = await publish({ type: 'wanted' });
  bare = await publish({ images: [], location });
});
afterAll(async () => {
  await app.close();
});

const xml = async (path: string) => load((await app.as().get(path)).text, { xml: true });
const texts = (document: ReturnType<typeof load>, selector: string) =>
  document(selector)
    .toArray()
    .map((each) => document(each).text());

describe.each([
  ['/feeds/listings.atom', 'application/atom+xml', 'entry'],
  ['/feeds/listings.rss', 'application/rss+xml', 'item'],
] as const)('%s', (path, type, entry) => {
  test('holds the newest listings with what was written in them, however hostile', async () => {
    const { headers, text } = await app.as().get(path);
    expect(headers.get('content-type')).toBe(`${type}; charset=utf-8`);
    const feed = load(text, { xml: true });
    expect(texts(feed, `${entry} > title`)).toEqual([bare.title, wanted.title, unpriced.title, shown.title]);
    expect(text).toContain(`/listings/${shown.slug}`);
  });

  test('has the filters of the search, and leads to its other pages', async () => {
    expect(texts(await xml(`${path}?country=DE`), `${entry} > title`)).toEqual([bare.title]);
    expect(texts(await xml(`${path}?attr[brand]=bavaria`), `${entry} > title`)).toEqual([shown.title]);
    const second = await xml(`${path}?type=sale&limit=1&page=2`);
    const links = ['previous', 'self', 'next'].map((rel) => second(`[rel=${rel}]`).attr('href'));
    expect(links).toEqual(
      ['?type=sale&limit=1', '?type=sale&page=2&limit=1', '?type=sale&page=3&limit=1'].map(
        (end) => `${app.url}${path}${end}`,
      ),
    );
    expect((await app.as().get(`${path}?min_price=cheap`)).status).toBe(400);
  });

  test('is found by readers from the pages of the search', async () => {
    const page = load(await (await fetch(`${app.url}/search?country=DE`)).text());
    const href = page(`link[rel=alternate][type="${type}"]`).attr('href') ?? '';
    expect(texts(load(await (await fetch(href)).text(), { xml: true }), `${entry} > title`)).toEqual([bare.title]);
  });
});

test('products are those with a photo and a price that are for sale', async () => {
  const feed = await xml('/feeds/products.xml');
  expect(texts(feed, 'item > g\\:id')).toEqual([shown.id]);
  const of = (name: string) => feed(`item > g\\:${name}`).text();
  expect([of('title'), of('price'), of('availability'), of('condition'), of('brand')]).toEqual([
    shown.title,
    '129000.00 EUR',
    'in_stock',
    'used',
    'Bavaria',
  ]);
  expect((await fetch(of('image_link'))).headers.get('content-type')).toBe('image/webp');
  expect(texts(await xml('/feeds/products.xml?country=DE'), 'item')).toEqual([]);
});

test('the sitemap names every public listing once, at the address of its page', async () => {
  const files = texts(await xml('/sitemap.xml'), 'sitemap > loc');
  expect(files).toEqual(['pages', 'listings-1'].map((name) => `${app.url}/sitemaps/${name}.xml`));
  const urls = await Promise.all(files.map(async (file) => texts(await xml(new URL(file).pathname), 'url > loc')));
  const listings = [shown, unpriced, wanted, bare].map(({ slug }) => `${app.url}/listings/${slug}`);
  expect(urls[1]).toEqual(listings);
  expect(urls[0]).toContain(`${app.url}/`);
  const pages = await Promise.all([...urls[0]!.slice(0, 4), ...listings].map((url) => fetch(url)));
  expect(pages.map(({ status }) => status)).toEqual(pages.map(() => 200));
  for (const name of ['listings-2', 'listings-0', 'listings-999999', 'nothing', 'a.b'])
    expect((await app.as().get(`/sitemaps/${name}.xml`)).status).toBe(404);
});

test.each([
  '/sitemap.xml',
  '/sitemaps/listings-1.xml',
  '/feeds/listings.atom',
  '/feeds/listings.rss',
  '/feeds/products.xml',
  '/.well-known/security.txt',
  '/manifest.webmanifest',
  '/robots.txt',
])('%s is answered by 304 to who holds it already', async (path) => {
  const { headers, status } = await app.as().get(path);
  expect(status).toBe(200);
  const again = await app.as().get(path, { headers: { 'If-None-Match': headers.get('etag') ?? '' } });
  expect([again.status, again.text]).toEqual([304, '']);
});

test('robots.txt names the sitemap and keeps crawlers from pages of one person', async () => {
  const { text } = await app.as().get('/robots.txt');
  expect(text).toContain(`Sitemap: ${app.url}/sitemap.xml`);
  for (const path of ['/admin', '/my/', '/inbox', '/sign-in']) expect(text).toContain(`Disallow: ${path}\n`);
});

test('security.txt has a contact, and an end within a year', async () => {
  const { text, headers } = await app.as().get('/.well-known/security.txt');
  expect(headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect(text).toMatch(/^Contact: https?:\/\/\S+$/m);
  const expires = Date.parse(/^Expires: (\S+)$/m.exec(text)?.[1] ?? '') - app.services.clock.now().getTime();
  expect(expires).toBeGreaterThan(0);
  expect(expires).toBeLessThan(365 * 86_400_000);
});

test('every icon that is named is there', async () => {
  const { text, headers } = await app.as().get('/manifest.webmanifest');
  expect(headers.get('content-type')).toMatch(/^application\/manifest\+json/);
  const { icons, name } = JSON.parse(text);
  expect(name).toBe('Quayside');
  for (const { src, type } of icons) expect((await fetch(src)).headers.get('content-type')).toContain(type);
  const icon = await fetch(`${app.url}/favicon.ico`);
  expect([icon.status, icon.headers.get('content-type')]).toEqual([200, 'image/x-icon']);
});
