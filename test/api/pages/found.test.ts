import { load } from 'cheerio';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { extractPage } from '../../../scrapers/extract/extract-page.ts';
import { startApp, type Json, type TestApp, type TestUser } from '../../support/app.ts';
import { listingBody } from '../../support/listing-bodies.ts';
import { formOf, newPhoto } from '../../support/pictures.ts';

const hostile = '</script><script>alert(1)</script> & "quotes" <!-- Möwe';

/** Publishes a listing with two photos; answers it as the API shows it. */
async function publish(app: TestApp, seller: TestUser, fields: Record<string, unknown> = {}): Promise<Json> {
  const images = [];
  for (const size of [640, 512]) {
    const raw = formOf([['file', await newPhoto(size, 480)]]);
    images.push({ url: (await app.as(seller).post('/api/upload', undefined, { raw })).body.url });
  }
  const { body } = await app.as(seller).post('/api/listings', listingBody({ images, ...fields }));
  expect((await app.as(seller).post(`/api/listings/${body.id}/publish`)).status).toBe(200);
  return (await app.as().get(`/api/listings/${body.id}`)).body;
}

const get = (app: TestApp, path: string, headers: Record<string, string> = { Accept: 'text/html' }) =>
  fetch(app.url + path, { headers, redirect: 'manual' });

/** The items of schema.org that a page has as JSON-LD. */
const itemsOf = (html: string): Json[] =>
  load(html)('script[type="application/ld+json"]')
    .toArray()
    .flatMap((script) => JSON.parse(load(html)(script).text())['@graph']);

const profiles = [
  [
    'nautical',
    { category_id: 'cruising', attributes: { brand: 'Bavaria', model: 'Cruiser 46', year: 2006, length: 14.4 } },
  ],
  ['general', { category_id: 'bicycles', attributes: { brand: 'Brompton' } }],
] as const;

describe.each(profiles)('in the profile %s', (profile, fields) => {
  let app: TestApp;
  let seller: TestUser;
  beforeAll(async () => {
    app = await startApp({ profile });
    seller = await app.createUser({ name: 'Olga Owner' });
  });
  afterAll(async () => {
    await app.close();
  });

  test.each(['new', 'good', 'refurbished'] as const)(
    'our own extraction reads the page of a listing in the condition %s back as it was published, but for its exact place',
    async (condition) => {
      const price = { amount: 129_000, currency: 'EUR', negotiable: true };
      const location = { country: 'ES', city: 'Palma', shipping: false, lat: 39.57, lng: 2.65 };
      const listing = await publish(app, seller, { ...fields, condition, price, location });
      const url = `${app.url}/listings/${listing.slug}`;
      const html = await (await fetch(url)).text();
      const [record, ...others] = extractPage(html, url, { site: '127.0.0.1', scraperId: 'scr_1' } as never);
      expect(others).toEqual([]);
      expect(record).toMatchObject({
        url,
        title: listing.title,
        currency: 'EUR',
        availability: 'InStock',
        sku: listing.id,
        brand: fields.attributes.brand,
        condition: `https://schema.org/${{ new: 'New', good: 'Used', refurbished: 'Refurbished' }[condition]}Condition`,
        location: { country: 'ES', city: 'Palma' },
      });
      expect(Number(record?.price)).toBe(129_000);
      expect(record?.images?.map((image) => image.url)).toEqual(listing.images.map((image: Json) => image.url));
    },
  );

  test('what a seller writes cannot end the block of data, and is read back as it was written', async () => {
    const listing = await publish(app, seller, { ...fields, title: hostile });
    const response = await get(app, `/listings/${listing.slug}`);
    const html = await response.text();
    expect(html).not.toContain('<script>alert');
    expect(itemsOf(html).find((item) => item.sku === listing.id).name).toBe(listing.title);
    expect(response.headers.get('content-security-policy')).toContain("script-src 'self'");
  });

  test('a listing on request is an offer without a price, a sold one is sold out, a wanted one a demand', async () => {
    const offerOf = async (listing: Json) => {
      const html = await (await get(app, `/listings/${listing.slug}`)).text();
      return itemsOf(html).find((item) => item.sku === listing.id).offers;
    };
    const price = { amount: 0, currency: 'EUR', negotiable: false };
    const unpriced = await publish(app, seller, { ...fields, price });
    expect(await offerOf(unpriced)).not.toHaveProperty('price');
    await app.as(seller).post(`/api/listings/${unpriced.id}/mark-sold`);
    expect((await offerOf(unpriced)).availability).toBe('https://schema.org/SoldOut');
    expect((await offerOf(await publish(app, seller, { ...fields, type: 'wanted' })))['@type']).toBe('Demand');
  });

  test('previews of a listing get its photo and price, search engines its address in seven languages', async () => {
    const listing = await publish(app, seller, fields);
    const page = load(await (await get(app, `/listings/${listing.slug}?lang=de&utm_source=x`)).text());
    const meta = (name: string) => page(`meta[property="${name}"]`).attr('content');
    const url = `${app.url}/listings/${listing.slug}`;
    const isSpoken = app.services.profile.locales.includes('de');
    expect(page('link[rel=canonical]').attr('href')).toBe(isSpoken ? `${url}?lang=de` : url);
    expect(page('link[hreflang=de]').attr('href')).toBe(isSpoken ? `${url}?lang=de` : undefined);
    const bare = load(await (await get(app, `/listings/${listing.slug}?utm_source=x`)).text());
    expect(bare('link[rel=canonical]').attr('href')).toBe(url);
    expect(
      page('link[rel=alternate][hreflang]')
        .toArray()
        .map(({ attribs }) => attribs.hreflang),
    ).toEqual([...app.services.profile.locales, 'x-default']);
    expect(meta('og:image')).toBe(listing.images[0].url);
    expect([meta('og:image:width'), meta('og:image:height')]).toEqual(['640', '480']);
    const [product] = itemsOf(page.html());
    const image = (url: string, width: number) => ({ '@type': 'ImageObject', url, width, height: 480 });
    expect(product?.image).toEqual([image(listing.images[0].url, 640), image(listing.images[1].url, 512)]);
    expect(meta('og:type')).toBe('product');
    expect([meta('product:price:amount'), meta('product:price:currency')]).toEqual(['129000', 'EUR']);
  });

  test('the front page says who this is and how it is searched, listing and search where they stand', async () => {
    const types = async (path: string) => itemsOf(await (await get(app, path)).text()).map((item) => item['@type']);
    const listing = await publish(app, seller, fields);
    expect(await types('/')).toEqual(['Organization', 'WebSite']);
    expect(load(await (await get(app, '/')).text())('meta[property="og:image"]').attr('content')).toBeDefined();
    expect(await types('/search')).toEqual(['BreadcrumbList']);
    expect((await types(`/listings/${listing.slug}`)).at(-1)).toBe('BreadcrumbList');
    const [, site] = itemsOf(await (await get(app, '/')).text());
    const address = site.potentialAction.target.urlTemplate.replace('{search_term_string}', 'boat');
    expect((await fetch(address)).status).toBe(200);
  });
});
