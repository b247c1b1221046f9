import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { distanceKm } from '../../../shared/places/area.ts';
import { startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { storeListings, type StoredListing } from './search-fixture.ts';
import { times } from '../../support/lane.ts';

let app: TestApp;
let reader: TestUser;
let all: (StoredListing & { lat: number; lng: number })[];

/** Places everywhere, and many around the poles, the 180th meridian, and one harbour. */
const lat = fc.oneof(
  fc.double({ min: -90, max: 90, noNaN: true }),
  fc.constantFrom(-90, 90, 54.321, 0),
  fc.double({ min: 88, max: 90, noNaN: true }),
  fc.double({ min: 54, max: 55, noNaN: true }),
);
const lng = fc.oneof(
  fc.double({ min: -180, max: 180, noNaN: true }),
  fc.constantFrom(-180, 180, 10.135, 0),
  fc.double({ min: 179, max: 180, noNaN: true }),
  fc.double({ min: -180, max: -179, noNaN: true }),
  fc.double({ min: 9, max: 11, noNaN: true }),
);
const radius = fc.oneof(fc.constantFrom(0, 1, 20, 50, 300, 2_000, 10_000, 20_000), fc.integer({ min: 1, max: 20_000 }));

beforeAll(async () => {
  app = await startApp();
  reader = await app.createUser({ name: 'Reader' });
  const places = fc.sample(fc.record({ lat, lng }), { numRuns: 400, seed: 7 });
  const located = await storeListings(
    app,
    reader,
    places.map((place, index) => ({ ...place, category_id: index % 3 ? 'racing' : 'cruising' })),
  );
  all = located.map((listing, index) => ({ ...listing, ...places[index]! }));
  await storeListings(app, reader, [{ title: 'Nowhere to be found' }, { title: 'Half a place', lat: 54.3 }]);
});
afterAll(() => app.close());

type Found = { id: string; distance_km?: number; location: { lat?: number; lng?: number } };

async function find(query: string): Promise<{ found: Found[]; total: number }> {
  const found: Found[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const { status, body } = await app
      .as(reader)
      .get(`/api/listings?${query}&limit=100${cursor && `&cursor=${cursor}`}`);
    expect(status, JSON.stringify(body)).toBe(200);
    const page = body as { results: Found[]; pagination: { total: number; next_cursor: string | null } };
    found.push(...page.results);
    if (page.pagination.next_cursor === null) return { found, total: page.pagination.total };
    cursor = page.pagination.next_cursor;
  }
  throw new Error('unreachable');
}

const decimal = (value: number) => value.toFixed(9);
/** No rounding decides about places this close to the border. */
const NARROW_KM = 1e-3;

test('near finds what a great circle says, everywhere on Earth, nearest first', async () => {
  await fc.assert(
    fc.asyncProperty(lat, lng, radius, fc.boolean(), async (y, x, km, sailing) => {
      const center = { lat: Number(decimal(y)), lng: Number(decimal(x)) };
      const expected = all
        .filter(({ category_id: category }) => !sailing || category === 'racing')
        .map((listing) => ({ id: listing.id, away: distanceKm(center, listing) }));
      const query = `near=${decimal(y)},${decimal(x)}&radius_km=${km}${sailing ? '&category=racing' : ''}&sort=distance`;
      const { found, total } = await find(query);
      const ids = new Set(found.map(({ id }) => id));
      expect(ids.size).toBe(found.length);
      expect(total).toBe(found.length);
      for (const { id, away } of expected)
        if (Math.abs(away - km) > NARROW_KM) expect(ids.has(id), `${away}`).toBe(away < km);
      const distances = found.map(({ distance_km: distance }) => distance ?? -1);
      expect(distances).toEqual(distances.toSorted((a, b) => a - b));
      const away = new Map(expected.map((each) => [each.id, each.away]));
      for (const { id, distance_km: distance } of found)
        expect(Math.abs(distance! - away.get(id)!)).toBeLessThan(0.0501);
    }),
    { numRuns: times(25, 400) },
  );
});

test('bbox finds what is in the box, also over the 180th meridian', async () => {
  await fc.assert(
    fc.asyncProperty(lat, lat, lng, lng, async (a, b, x, y) => {
      const [south, north] = [Math.min(a, b), Math.max(a, b)].map((each) => Number(decimal(each))) as [number, number];
      const [west, east] = [Number(decimal(x)), Number(decimal(y))];
      const inside = (at: number) => (west <= east ? at >= west && at <= east : at >= west || at <= east);
      const expected = all
        .filter((each) => each.lat >= south && each.lat <= north && inside(each.lng))
        .map(({ id }) => id);
      const { found } = await find(`bbox=${[west, south, east, north].map(decimal).join(',')}`);
      expect(found.map(({ id }) => id).toSorted()).toEqual(expected.toSorted());
    }),
    { numRuns: times(20, 300) },
  );
});

test('a listing gets the coordinates of its city, and keeps those it names', async () => {
  const { rows } = await app.database.pool.query<{ n: number }>(
    `select count(*)::int as n from listings where geocoded`,
  );
  expect(rows).toEqual([{ n: 0 }]);
  const body = (location: object) => ({
    title: `A cutter to look at, number ${Math.random()}`,
    description: 'She lies in the harbour and waits for somebody to take her out to sea.',
    category_id: 'cruising',
    condition: 'good',
    price: { amount: 1_000, currency: 'EUR', negotiable: false },
    location: { country: 'DE', city: 'kiel', shipping: false, ...location },
  });
  const [named, placed] = await Promise.all(
    [{}, { lat: 1.5, lng: 2.5 }].map((location) => app.as(reader).post('/api/listings', body(location))),
  );
  expect(named!.body).toMatchObject({ location: { lat: 54.321, lng: 10.135 } });
  expect(placed!.body).toMatchObject({ location: { lat: 1.5, lng: 2.5 } });
  const stored = await app.database.pool.query(`select lat, geocoded from listings where city = 'kiel' order by lat`);
  expect(stored.rows).toEqual([
    { lat: 1.5, geocoded: false },
    { lat: 54.321, geocoded: true },
  ]);
});

test('bulk publishing understands the same places', async () => {
  const owner = await app.createUser({ name: 'Owner' });
  await storeListings(app, owner, [
    { status: 'draft', title: 'A draft in the harbour', lat: 54.321, lng: 10.135 },
    { status: 'draft', title: 'A draft far away', lat: 43.7, lng: 7.26 },
    { status: 'draft', title: 'A draft nowhere' },
  ]);
  for (const query of ['near=54.3,10.1&radius_km=20', 'bbox=7,43,8,44']) {
    const { status, body } = await app.as(owner).post(`/api/ingest/publish-bulk?${query}`, {});
    expect(status).toBe(200);
    expect(body).toMatchObject({ published: 1 });
  }
});
