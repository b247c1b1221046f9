import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expireListings } from '../../../shared/listings/expire.ts';
import { startApp, type Json, type TestApp, type TestUser } from '../../support/app.ts';
import { ingestBody, listingBody } from '../../support/listing-bodies.ts';

const DAY = 86_400_000;
let now = new Date('2026-03-28T08:00:00.000Z');

let app: TestApp;
let seller: TestUser;
beforeAll(async () => {
  app = await startApp({ clock: { now: () => now } });
  seller = await app.createUser();
});
afterAll(() => app.close());

const origin = {
  url: 'https://portal.example.com/boat/1',
  normalized_url: 'https://portal.example.com/boat/1',
  site: 'portal.example.com',
  scraped_at: '2026-01-02T03:04:05.000Z',
  raw_record: { id: 1 },
};
const price_history = [{ date: '2025-01-01', amount: 900_000, currency: 'EUR' }];
const source = {
  portals: ['yachts.example.com'],
  original_urls: ['https://yachts.example.com/1'],
  original_descriptions: ['As told there.'],
  dedup_id: 'ddg_1',
  first_seen: '2020-01-01T00:00:00Z',
  scrape_count: 1_000,
};
const seo = { slug: 'mine', meta_title: 'Buy now', keywords: ['cheap'], rewritten_content: { de: 'Kaufen' } };

test.each(['api', 'web', 'seed', 'scraped'])(
  'a listing that is created as "%s" is of its client, by api or web, and expires by the clock',
  async (claimed) => {
    now = new Date('2026-03-28T08:00:00.000Z');
    const client = app.as(seller);
    const meta = { source: claimed as 'api', language: 'de', origin };
    const { status, body } = await client.post('/api/listings', listingBody({ meta }));
    expect(status).toBe(201);
    expect(body.meta).toEqual({ source: claimed === 'web' ? 'web' : 'api', language: 'de' });
    expect((await client.post(`/api/listings/${body.id}/publish`)).status).toBe(200);
    const { rows } = await app.database.pool.query('select 1 from listing_sources where listing_id = $1', [body.id]);
    expect(rows).toEqual([]);
    now = new Date(now.getTime() + 31 * DAY);
    await expireListings(app.services);
    const { rows: after } = await app.database.pool.query('select status from listings where id = $1', [body.id]);
    expect(after).toEqual([{ status: 'expired' }]);
    now = new Date('2026-03-28T08:00:00.000Z');
  },
);

test('a page read in the future, as its client says, was read now: its listing expires when nobody sees it for 60 days', async () => {
  const record = ingestBody({ scraped_at: '2099-01-01T00:00:00Z' });
  const { body } = await app.as(seller).post('/api/ingest', { records: [record] });
  const id: string = body.ids[record.url];
  expect((await app.as(seller).get(`/api/listings/${id}`)).body.meta.origin.scraped_at).toBe(now.toISOString());
});

describe("earlier prices, sources and words for search engines are the service's: a client's are taken and not kept", () => {
  const price = { amount: 10, currency: 'EUR', negotiable: false };
  const boat = { brand: 'Hanse', price_history, source, seo };
  const forged = ({ body }: { body: Json }) => ({
    price: body.price.price_history,
    history: body.boat?.price_history,
    source: body.boat?.source,
    seo: body.boat?.seo,
    brand: body.boat?.brand,
  });
  const nothing = { price: undefined, history: undefined, source: undefined, seo: undefined, brand: 'Hanse' };

  test('on create, on update and on ingest', async () => {
    const client = app.as(seller);
    const created = await client.post('/api/listings', listingBody({ boat, price: { ...price, price_history } }));
    expect([created.status, forged(created)]).toEqual([201, nothing]);
    const plain = await client.post('/api/listings', listingBody({ boat: { brand: 'Hanse' } }));
    const { price: asked } = plain.body;
    const updated = await client.put(`/api/listings/${plain.body.id}`, { boat, price: { ...asked, price_history } });
    expect([updated.status, forged(updated)]).toEqual([200, nothing]);
    const record = ingestBody({ boat });
    const { body } = await client.post('/api/ingest', { records: [record] });
    expect(forged(await client.get(`/api/listings/${body.ids[record.url]}`))).toEqual(nothing);
  });

  test('the history that the service keeps grows by the price there was and by nothing else', async () => {
    const client = app.as(seller);
    const { body } = await client.post('/api/listings', listingBody({ boat: { brand: 'Hanse' } }));
    const { body: cheaper } = await client.put(`/api/listings/${body.id}`, {
      price: { ...price, price_history },
      boat,
    });
    const earlier = [{ date: now.toISOString().slice(0, 10), amount: 129_000, currency: 'EUR' }];
    expect(cheaper.boat).toEqual({ type: 'boat', brand: 'Hanse', price_history: earlier });
    const { body: same } = await client.put(`/api/listings/${body.id}`, {
      boat: { brand: 'Hanse', price_history: [] },
    });
    expect(same.boat.price_history).toEqual(earlier);
  });

  test('400 where a value is impossible', async () => {
    const client = app.as(seller);
    const impossible: [string, object][] = [
      ['/body/boat/source/original_urls/0', { boat: { source: { original_urls: ['javascript:alert(1)'] } } }],
      [
        '/body/boat/price_history/0/currency',
        { boat: { price_history: [{ date: '2026-01-01', amount: 1, currency: 'ZZZ' }] } },
      ],
      ['/body/boat/seo/meta_title', { boat: { seo: { meta_title: 'm'.repeat(71) } } }],
      ['/body/meta/origin/url', { meta: { origin: { ...origin, url: 'javascript:alert(1)' } } }],
      ['/body/meta/source', { meta: { source: 'press' } }],
      [
        '/body/images/0/thumbnail_url',
        { images: [{ url: 'https://a.example/1.jpg', thumbnail_url: 'javascript:alert(1)' }] },
      ],
    ];
    for (const [path, fields] of impossible) {
      const { status, body } = await client.post('/api/listings', listingBody(fields as never));
      expect([path, status, body.error?.details?.errors?.map((each: Json) => each.path)]).toEqual([
        path,
        400,
        expect.arrayContaining([path]),
      ]);
    }
  });
});

test.each([
  'javascript:alert(1)',
  'data:image/gif;base64,R0lGODlhAQABAAAAACw=',
  'ftp://a.example/1.jpg',
  'file:///etc/passwd',
])('no URL is stored that is neither http nor https: %s', async (url) => {
  const client = app.as(seller);
  const { body: created } = await client.post('/api/listings', listingBody());
  const refusals: [string, string, object][] = [
    ['POST', '/api/listings', listingBody({ images: [{ url }] })],
    ['POST', '/api/listings', listingBody({ boat: { images: [{ url }] } })],
    ['POST', '/api/listings', listingBody({ boat: { source: { original_urls: [url] } } })],
    ['PUT', `/api/listings/${created.id}`, { images: [{ url }] }],
    ['POST', '/api/webhooks', { url, events: ['*'] }],
    [
      'POST',
      '/api/rentals',
      {
        title: 'A boat for a week',
        boat_type: 'sailboat',
        price_per_day: 100,
        currency: 'EUR',
        location: { country: 'ES', city: 'Palma' },
        availability: { available_from: '2026-06-01', available_to: '2026-06-30' },
        images: [{ url }],
        description: 'A boat that is for rent by the week, in Palma.',
      },
    ],
  ];
  for (const [method, path, body] of refusals)
    expect([path, (await client.request(method, path, { body })).status]).toEqual([path, 400]);
  const admin = app.as(await app.createUser({ role: 'admin' }));
  const scraper = { name: 'x', site: 'a.example', kind: 'http', start_urls: [url] };
  expect((await admin.post('/api/admin/scrapers', scraper)).status).toBe(400);
  for (const fields of [{ url }, { images: [url] }, { images: [{ url }] }, { boat: { images: [{ url }] } }]) {
    const { body } = await client.post('/api/ingest', { records: [ingestBody(fields)] });
    expect([fields, body.created, body.failed.length]).toEqual([fields, 0, 1]);
  }
});

test('a referrer that is no address of the web is not kept, and its event is', async () => {
  for (const referrer of ['javascript:alert(1)', 'HTTPS://www.example.com/'])
    expect((await app.as().post('/api/track', { event: 'page_view', path: '/somewhere', referrer })).status).toBe(200);
  await app.services.tracker.flush();
  const { rows } = await app.database.pool.query(
    `select referrer from tracked_events where path = '/somewhere' order by 1`,
  );
  expect(rows).toEqual([{ referrer: 'HTTPS://www.example.com/' }, { referrer: null }]);
});
