import Supercluster from 'supercluster';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type Json, type TestApp, type TestUser } from '../../support/app.ts';
import { storeListings, type StoredListing } from './search-fixture.ts';

const WORLD = [-180, -85, 180, 85] as const;
const HARBOURS = [
  [54.32, 10.14],
  [54.79, 9.43],
  [-18.14, 178.44],
  [-18.2, -179.9],
  [48.39, -4.49],
] as const;

describe.each(['nautical', 'general'] as const)('clusters on a map, %s profile', (profile) => {
  let app: TestApp;
  let seller: TestUser;
  let all: StoredListing[];
  const category = profile === 'nautical' ? 'cruising' : 'sailboats';
  const other = profile === 'nautical' ? 'racing' : 'motorboats';
  beforeAll(async () => {
    app = await startApp({ profile });
    seller = await app.createUser();
    const listings = Array.from({ length: 600 }, (_, index) => {
      const [lat, lng] = HARBOURS[(index * 7) % 5]!;
      const away = index % 3 === 0 ? 0 : ((index * 7_919) % 1_000) / 5_000;
      return {
        title: index % 4 === 0 ? 'Bavaria cruiser' : 'Dehler cruiser',
        category_id: index % 2 === 0 ? category : other,
        status: index % 25 === 24 ? 'paused' : 'active',
        price_amount: 100 + index,
        lat: index % 50 === 49 ? undefined : lat + away,
        lng: index % 50 === 49 ? undefined : lng + (lng > 179.5 ? -away : away),
      };
    });
    all = await storeListings(app, seller, listings);
  });
  afterAll(() => app.close());

  /** What supercluster itself makes of the same rows. */
  const expected = (rows: StoredListing[], bbox: readonly number[], zoom: number) => {
    const points = rows
      .filter(({ lat, lng }) => lat !== undefined && lng !== undefined)
      .toSorted((a, b) => (a.id < b.id ? -1 : 1))
      .map(({ id, lat, lng }) => ({
        type: 'Feature' as const,
        id,
        properties: { id },
        geometry: { type: 'Point' as const, coordinates: [lng!, lat!] },
      }));
    return new Supercluster().load(points).getClusters([...bbox] as [number, number, number, number], zoom);
  };
  const ask = async (bbox: readonly number[], zoom: number, filters = '', client = app.as()): Promise<Json> => {
    const { status, body } = await client.get(`/api/listings/clusters?bbox=${bbox.join(',')}&zoom=${zoom}${filters}`);
    expect(status).toBe(200);
    return body;
  };
  const active = (fits: (each: StoredListing, index: number) => boolean = () => true) =>
    all.filter((each, index) => each.status === 'active' && fits(each, index));

  test.each([0, 3, 6, 9, 12, 16, 17, 24])('are those of supercluster over the same rows at zoom %i', async (zoom) => {
    for (const bbox of [WORLD, [9, 54, 11, 55], [-6, 48, -4, 49], [170, -30, -170, -10], [0, 0, 1, 1]])
      expect(await ask(bbox, zoom)).toEqual({ type: 'FeatureCollection', features: expected(active(), bbox, zoom) });
  });

  test('have every listing with coordinates in one cluster or as a point with its id', async () => {
    const { features } = await ask(WORLD, 5);
    const counts = features.map(({ properties }: Json) => properties.point_count ?? 1);
    expect(counts.reduce((sum: number, each: number) => sum + each, 0)).toBe(
      active(({ lat }) => lat !== undefined).length,
    );
    const single = (await ask(WORLD, 24)).features.find(({ properties }: Json) => !properties.cluster);
    expect(single.properties.id).toMatch(/^lst_/);
  });

  test.each<[string, (each: StoredListing, index: number) => boolean]>([
    ['a category', (_, index) => index % 2 === 0],
    ['words', (_, index) => index % 4 === 0],
    ['a price', (_, index) => index >= 200],
    ['a circle', ({ lat, lng }) => lat !== undefined && Math.abs(lat - 54.5) < 1 && lng! > 8 && lng! < 12],
  ])('are those of what matches %s', async (what, fits) => {
    const filters = {
      'a category': `&category=${category}`,
      words: '&q=bavaria',
      'a price': '&min_price=300',
      'a circle': '&near=54.5,10&radius_km=150',
    }[what]!;
    const body = await ask(WORLD, 8, filters);
    expect(body.features).toEqual(expected(active(fits), WORLD, 8));
    expect(body.features.length).toBeGreaterThan(0);
  });

  test('show a change at once', async () => {
    const before = (await ask(WORLD, 0)).features[0].properties.point_count;
    const [extra] = await storeListings(app, seller, [{ title: 'One more', lat: 54.32, lng: 10.14, status: 'paused' }]);
    const { status } = await app.as(seller).patch(`/api/listings/${extra!.id}`, { status: 'active' });
    expect(status).toBe(200);
    const counts = (await ask(WORLD, 0)).features.map(({ properties }: Json) => properties.point_count ?? 1);
    expect(counts.reduce((sum: number, each: number) => sum + each, 0)).toBeGreaterThan(before);
    all.push({ ...extra!, status: 'active' });
  });

  test('of drafts are for their owner alone', async () => {
    const [draft] = await storeListings(app, seller, [{ title: 'A draft', lat: 1, lng: 1, status: 'draft' }]);
    const box = [0.5, 0.5, 1.5, 1.5];
    expect((await ask(box, 10, '&status=all')).features).toEqual([]);
    expect((await ask(box, 10, '&status=all', app.as(seller))).features).toMatchObject([
      { properties: { id: draft!.id } },
    ]);
  });

  test('of nothing are none', async () => {
    expect(await ask(WORLD, 3, '&q=nothing-has-this-word&country=FR')).toEqual({
      type: 'FeatureCollection',
      features: [],
    });
    expect(await ask(WORLD, 3, '&category=no-such-category')).toEqual({ type: 'FeatureCollection', features: [] });
  });

  test.each([
    ['bbox=1,2,3&zoom=3', '/query/bbox'],
    ['bbox=a,b,c,d&zoom=3', '/query/bbox'],
    ['bbox=0,50,10,40&zoom=3', '/query/bbox'],
    ['bbox=0,0,190,10&zoom=3', '/query/bbox'],
    ['zoom=3', '/query/bbox'],
    ['bbox=0,0,10,10', '/query/zoom'],
    ['bbox=0,0,10,10&zoom=-1', '/query/zoom'],
    ['bbox=0,0,10,10&zoom=25', '/query/zoom'],
    ['bbox=0,0,10,10&zoom=2.5', '/query/zoom'],
    ['bbox=0,0,10,10&zoom=near', '/query/zoom'],
    ['bbox=0,0,10,10&zoom=3&min_price=cheap', '/query/min_price'],
    ['bbox=0,0,10,10&zoom=3&currency=XQQ', '/query/currency'],
  ])('400 for %s', async (query, path) => {
    const { status, body } = await app.as().get(`/api/listings/clusters?${query}`);
    expect(status).toBe(400);
    expect(body.error.details.errors.map((each: Json) => each.path)).toContain(path);
  });
});
