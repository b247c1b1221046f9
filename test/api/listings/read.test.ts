import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Clock } from '../../../shared/kit/clock.ts';
import { startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { storeListings, type StoredListing } from './search-fixture.ts';

let app: TestApp;
let seller: TestUser;
let listing: StoredListing;
let now = new Date('2026-03-01T12:00:00.000Z');
const clock: Clock = { now: () => now };
const hash = 'ab'.repeat(32);

beforeAll(async () => {
  app = await startApp({ clock, env: { STATIC_URL: 'https://static.example.com/files' } });
  seller = await app.createUser({ name: 'Anna Petersen' });
  const [stored] = await storeListings(app, seller, [
    {
      title: 'Hallberg-Rassy 36',
      description: 'A comfortable cruiser for long distances.',
      long_description: 'A comfortable cruiser for long distances. She has crossed the Atlantic twice.',
      attributes: { brand: 'Hallberg-Rassy', year: 1999, length: 11.02 },
      tags: ['bluewater'],
      images: [{ key: `images/ab/${hash}.webp`, alt: 'Under sail' }, { url: 'https://elsewhere.example/1.jpg' }],
      boat: { type: 'boat', brand: 'Hallberg-Rassy', specs: { dimensions: { beam_m: 3.55 } } },
      premium_type: 'featured',
      premium_until: '2026-03-01T13:00:00.000Z',
      created_at: '2026-01-01T10:00:00.123Z',
      published_at: '2026-01-02T10:00:00.000Z',
    },
  ]);
  listing = stored!;
  await app.database.pool.query(
    `update listings set price_vat_included = true, price_vat_rate = 19, marina = 'Im Jaich', lat = 54.8, lng = 9.4, postal_code = '24939' where id = $1`,
    [listing.id],
  );
});
afterAll(() => app.close());

/** Views of the listing, once those noted so far are written. */
async function countViews(): Promise<number> {
  await app.services.views.flush();
  app.services.cache.clear();
  return (await app.as(seller).get(`/api/listings/${listing.id}`)).body.views;
}

test('a listing has every field of the interface, in lists without long text, boat and origin', async () => {
  const core = {
    id: listing.id,
    slug: listing.slug,
    title: 'Hallberg-Rassy 36',
    description: 'A comfortable cruiser for long distances.',
    category: { id: 'cruising', name: 'Cruising sailboats', path: ['Sailboats', 'Cruising sailboats'] },
    condition: 'good',
    type: 'sale',
    price: { amount: 1_000, currency: 'EUR', negotiable: false, vat_included: true, vat_rate: 19 },
    location: {
      country: 'DE',
      city: 'Kiel',
      shipping: false,
      postal_code: '24939',
      lat: 54.8,
      lng: 9.4,
      marina: 'Im Jaich',
    },
    images: [
      {
        url: `https://static.example.com/files/images/ab/${hash}.webp`,
        alt: 'Under sail',
        thumbnail_url: `https://static.example.com/files/images/ab/${hash}-thumb.webp`,
      },
      { url: 'https://elsewhere.example/1.jpg' },
    ],
    attributes: { brand: 'Hallberg-Rassy', year: 1999, length: 11.02 },
    seller: { id: seller.id, name: 'Anna Petersen', type: 'human', verified: true, member_since: '2026-03-01' },
    status: 'active',
    created_at: '2026-01-01T10:00:00.123Z',
    updated_at: '2026-01-01T10:00:00.123Z',
    expires_at: '2099-01-01T00:00:00.000Z',
    views: 0,
    tags: ['bluewater'],
    meta: { source: 'api', language: 'en' },
    premium: { type: 'featured', until: '2026-03-01T13:00:00.000Z', active: true },
  };
  const list = await app.as(seller).get('/api/listings');
  expect(list.body.results).toEqual([core]);
  const detail = await app.as(seller).get(`/api/listings/${listing.id}`);
  expect(detail.body).toEqual({
    ...core,
    long_description: 'A comfortable cruiser for long distances. She has crossed the Atlantic twice.',
    boat: { type: 'boat', brand: 'Hallberg-Rassy', specs: { dimensions: { beam_m: 3.55 } } },
  });
});

test('the origin of a scraped listing is told in its detail alone', async () => {
  const [scraped] = await storeListings(app, seller, [{ status: 'draft' }]);
  await app.database.pool.query(
    `insert into listing_sources (listing_id, url, normalized_url, owner, site, raw_record, content_hash, scraped_at, first_seen_at, due_at)
     values ($1, 'https://boats.example.com/4711?a=1', 'https://boats.example.com/4711', 'marketplace', 'boats.example.com', '{"id": 4711}', '', $2, $2, $2)`,
    [scraped!.id, '2026-02-01T08:00:00.5Z'],
  );
  const { body } = await app.as(seller).get(`/api/listings/${scraped!.id}`);
  expect(body.meta.origin).toEqual({
    url: 'https://boats.example.com/4711?a=1',
    normalized_url: 'https://boats.example.com/4711',
    site: 'boats.example.com',
    scraped_at: '2026-02-01T08:00:00.500Z',
    raw_record: { id: 4711 },
  });
  expect(body.meta).not.toHaveProperty('last_verified_at');
  const verify = `update listing_sources set last_verified_at = $2, misses = $3 where listing_id = $1`;
  const verified = async (misses: number) => {
    await app.database.pool.query(verify, [scraped!.id, '2026-02-03T08:00:00Z', misses]);
    return (await app.as(seller).get(`/api/listings/${scraped!.id}`)).body.meta.last_verified_at;
  };
  expect(await verified(0)).toBe('2026-02-03T08:00:00.000Z');
  expect(await verified(1)).toBeUndefined();
  const list = await app.as(seller).get('/api/listings?status=all');
  expect(list.text).not.toContain('origin');
});

test('id and slug read the same listing', async () => {
  const [byId, bySlug] = await Promise.all(
    [listing.id, listing.slug].map((path) => app.as(seller).get(`/api/listings/${path}`)),
  );
  expect(byId?.text).toBe(bySlug?.text);
});

test.each(['lst_01K6Q8Z3V4H5J6K7M8N9P0Q1R2', 'no-such-thing', 'LST_x'])('404 for %s', async (path) => {
  const { status, body } = await app.as().get(`/api/listings/${path}`);
  expect([status, body.error.code]).toEqual([404, 'not_found']);
});

test('a promotion is over at the very moment of its end', async () => {
  const premium = async () => {
    app.services.cache.clear();
    const [detail, list] = [await app.as().get(`/api/listings/${listing.id}`), await app.as().get('/api/listings')];
    expect(list.body.results.find(({ id }: { id: string }) => id === listing.id).premium).toEqual(detail.body.premium);
    return detail.body.premium;
  };
  now = new Date('2026-03-01T12:59:59.999Z');
  expect(await premium()).toEqual({ type: 'featured', until: '2026-03-01T13:00:00.000Z', active: true });
  now = new Date('2026-03-01T13:00:00.000Z');
  expect(await premium()).toEqual({ type: 'none', until: null, active: false });
});

test('reads by anyone but the owner count as views, one visitor once an hour, from the cache too', async () => {
  now = new Date('2026-03-02T12:10:00.000Z');
  const before = await countViews();
  const read = (agent: string, path = listing.id) =>
    app.as().get(`/api/listings/${path}`, { headers: { 'User-Agent': agent } });
  await read('browser one');
  expect(await countViews()).toBe(before + 1);
  await read('browser one');
  await read('browser one', listing.slug);
  await read('browser one', `${listing.id}.md`);
  expect(await countViews()).toBe(before + 1);
  expect((await read('browser two')).headers.get('x-cache')).toBe('MISS');
  expect((await read('browser three')).headers.get('x-cache')).toBe('HIT');
  expect(await countViews()).toBe(before + 3);
  await app.as(seller).get(`/api/listings/${listing.id}`, { headers: { 'User-Agent': 'browser four' } });
  expect(await countViews()).toBe(before + 3);
  now = new Date('2026-03-02T13:00:00.000Z');
  await read('browser one');
  expect(await countViews()).toBe(before + 4);
});

test('a view that could not be written waits for the next time', async () => {
  now = new Date('2026-03-03T12:00:00.000Z');
  const before = await countViews();
  await app.database.pool.query('alter table listing_visits rename to listing_visits_away');
  await app.as().get(`/api/listings/${listing.id}`, { headers: { 'User-Agent': 'patient' } });
  await app.services.views.flush();
  await app.database.pool.query('alter table listing_visits_away rename to listing_visits');
  expect(await countViews()).toBe(before + 1);
});

test('the texts of the locale come with the right Content-Language and Vary', async () => {
  await app.database.pool.query(
    `insert into listing_rewrites (listing_id, locale, status, title, description, updated_at)
     values ($1, 'de', 'completed', null, 'Eine komfortable Fahrtenyacht.', now()), ($1, 'it', 'failed', 'Barca', 'Una barca comoda.', now())`,
    [listing.id],
  );
  const read = async (query: string, headers = {}) => {
    const answer = await app.as().get(`/api/listings/${listing.id}${query}`, { headers });
    expect(answer.headers.get('vary')).toBe('Accept-Language, Accept, Accept-Encoding');
    return [answer.headers.get('content-language'), answer.body.title, answer.body.description];
  };
  const original = ['en', 'Hallberg-Rassy 36', 'A comfortable cruiser for long distances.'];
  const german = ['de', 'Hallberg-Rassy 36', 'Eine komfortable Fahrtenyacht.'];
  expect(await read('?lang=de')).toEqual(german);
  expect(await read('', { 'Accept-Language': 'de-AT, en;q=0.5' })).toEqual(german);
  expect(await read('?lang=en', { 'Accept-Language': 'de' })).toEqual(original);
  expect(await read('?lang=it')).toEqual(original);
});

test('an answer names its version, and 304 is enough for who holds it', async () => {
  const first = await app.as().get('/api/listings?limit=1');
  const etag = first.headers.get('etag') ?? '';
  const second = await app.as().get('/api/listings?limit=1', { headers: { 'If-None-Match': etag } });
  expect([second.status, second.text, second.headers.get('etag')]).toEqual([304, '', etag]);
});

test('so it does in the general profile, which keeps no answers', async () => {
  const general = await startApp({ profile: 'general' });
  for (const path of ['/api/listings', '/api/listings.md', '/api/categories', '/.well-known/ai.json']) {
    const first = await general.as().get(path);
    const etag = first.headers.get('etag') ?? '';
    const second = await general.as().get(path, { headers: { 'If-None-Match': etag } });
    expect([second.status, second.headers.get('etag'), first.headers.get('x-cache')], path).toEqual([304, etag, null]);
  }
  await general.close();
});
