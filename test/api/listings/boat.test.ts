import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type Client, type TestApp } from '../../support/app.ts';
import { filled, fullBoat, specs, topLevel, wrongValues, type FieldTable } from '../../support/boat-fields.ts';
import { ingestBody, listingBody } from '../../support/listing-bodies.ts';

const categories = { nautical: 'cruising', general: 'sailboats' } as const;
/** What of a boat its client may say: earlier prices, sources and words for search engines are the service's. */
const ofClients = ({ price_history: _history, source: _source, seo: _seo, ...facts }: Record<string, unknown>) => facts;
/** As many turns as the longest list of values has. */
const turns = [0, 1, 2, 3, 4, 5, 6];

describe.each(['nautical', 'general'] as const)('%s', (profile) => {
  let app: TestApp;
  let seller: Client;
  beforeAll(async () => {
    app = await startApp({ profile });
    seller = app.as(await app.createUser());
  });
  afterAll(() => app.close());

  const body = (boat: unknown, fields: object = {}) =>
    listingBody({ category_id: categories[profile], ...fields, boat: boat as never });
  const refused = async (boat: unknown) => {
    const { status, body: answer } = await seller.post('/api/listings', body(boat));
    const paths: string[] = answer.error?.details?.errors.map(({ path }: { path: string }) => path) ?? [];
    return [status, answer.error?.code, [...new Set(paths)]] as const;
  };

  test.each(turns)('every field is stored and read back as it was sent, values of lists in turn %i', async (turn) => {
    const boat = fullBoat(turn);
    const created = await seller.post('/api/listings', body(boat));
    expect([created.status, created.body.boat]).toEqual([201, ofClients(boat)]);
    const read = await seller.get(`/api/listings/${created.body.id}`);
    expect(read.body.boat).toEqual(ofClients(boat));
  });

  test('an update puts another boat in its place and keeps the prices that the service knows', async () => {
    const { body: created } = await seller.post('/api/listings', body(fullBoat()));
    const { amount, currency } = created.price;
    await seller.put(`/api/listings/${created.id}`, { price: { ...created.price, amount: amount - 1 } });
    const { status, body: updated } = await seller.put(`/api/listings/${created.id}`, { boat: fullBoat(3) });
    expect(status).toBe(200);
    const date = new Date().toISOString().slice(0, 10);
    expect(updated.boat).toEqual({ ...ofClients(fullBoat(3)), price_history: [{ date, amount, currency }] });
  });

  test("an ingested record keeps every field that is not the service's", async () => {
    const price = { amount: 90_000, currency: 'EUR', vat_included: true, vat_rate: 19 };
    const location = {
      country: 'DE',
      city: 'Kiel',
      country_name: 'Germany',
      region: 'Holstein',
      marina: 'Düsternbrook',
    };
    const record = ingestBody({ category_id: categories[profile], boat: fullBoat(1), price, location });
    const { body: ingested } = await seller.post('/api/ingest', { records: [record] });
    const read = await seller.get(`/api/listings/${ingested.ids[record.url]}`);
    expect(read.body).toMatchObject({ boat: ofClients(fullBoat(1)), price, location });
    expect(read.body.boat).toEqual(ofClients(fullBoat(1)));
  });

  test('an ingested record with a wrong value is failed, with the path of the value', async () => {
    const record = ingestBody({ boat: { specs: { engine: { fuel_type: 'steam' } } } });
    const { body: answer } = await seller.post('/api/ingest', { records: [record] });
    expect(answer.failed).toMatchObject([
      { url: record.url, details: { errors: [{ path: '/body/records/0/boat/specs/engine/fuel_type' }] } },
    ]);
  });

  test('what the attributes leave open follows from the boat, on create, update and ingest', async () => {
    const boat = {
      subcategory: 'racing',
      brand: 'Hanse',
      model: '370',
      year: 2_009,
      specs: {
        dimensions: { length_overall_m: 11.2, beam_m: 3.7 },
        construction: { material: 'fiberglass' },
        engine: { fuel_type: 'diesel' },
      },
    };
    const derived = {
      brand: 'Hanse',
      model: '370',
      year: 2_009,
      length: 11.2,
      beam: 3.7,
      boat_type: 'racing',
      material: 'fiberglass',
      fuel_type: 'diesel',
    };
    const { body: created } = await seller.post(
      '/api/listings',
      body(boat, { attributes: { model: 'said', cabins: 2 } }),
    );
    expect(created.attributes).toEqual({ ...derived, model: 'said', cabins: 2 });
    const { body: updated } = await seller.put(`/api/listings/${created.id}`, { boat: { ...boat, year: 2_010 } });
    expect(updated.attributes).toEqual({ ...derived, model: 'said', cabins: 2, year: 2_010 });
    const record = ingestBody({ category_id: categories[profile], boat, attributes: { model: 'said' } });
    const { body: ingested } = await seller.post('/api/ingest', { records: [record] });
    const read = await seller.get(`/api/listings/${ingested.ids[record.url]}`);
    expect(read.body.attributes).toEqual({ ...derived, model: 'said' });
  });

  test('a boat is always of the type boat', async () => {
    const { body: created } = await seller.post('/api/listings', body({ hull_id: 'DE-ABC12345D606' }));
    expect(created.boat).toEqual({ type: 'boat', hull_id: 'DE-ABC12345D606' });
  });

  test('a listing without a boat has none, and an empty one is none', async () => {
    for (const boat of [undefined, {}]) {
      const { body: created } = await seller.post('/api/listings', body(boat));
      expect(created).not.toHaveProperty('boat');
    }
  });

  test('from publication on the boat repeats what the listing says', async () => {
    const boat = { listing_type: 'wanted', condition: 'poor', status: 'sold' };
    const { body: created } = await seller.post('/api/listings', body(boat, { condition: 'good' }));
    expect(created.boat).toEqual({ type: 'boat', ...boat });
    const { body: published } = await seller.post(`/api/listings/${created.id}/publish`);
    expect(published.boat).toEqual({ type: 'boat', listing_type: 'sale', condition: 'good', status: 'active' });
    const { body: changed } = await seller.put(`/api/listings/${created.id}`, { condition: 'fair' });
    expect(changed.boat.condition).toBe('fair');
  });

  test('it is told in the detail, never in lists', async () => {
    const { body: created } = await seller.post('/api/listings', body(fullBoat()));
    await seller.post(`/api/listings/${created.id}/publish`);
    const list = await seller.get('/api/listings');
    expect(list.body.results.map(({ id }: { id: string }) => id)).toContain(created.id);
    expect(list.text).not.toContain('price_history');
    expect(list.text).not.toContain('"boat":');
  });

  test('the price there was is an earlier price of the boat and of the listing, and no other is', async () => {
    const invented = { date: '2024-01-01', amount: 9, currency: 'EUR' };
    const price = { amount: 10, currency: 'EUR', negotiable: false, vat_included: true, vat_rate: 21 };
    const { body: created } = await seller.post(
      '/api/listings',
      body({ brand: 'Hanse' }, { price: { ...price, price_history: [invented] } }),
    );
    expect(created.price).toEqual(price);
    expect(created.boat).toEqual({ type: 'boat', brand: 'Hanse' });
    const { body: cheaper } = await seller.put(`/api/listings/${created.id}`, {
      price: { ...created.price, amount: 8 },
    });
    const earlier = [{ date: new Date().toISOString().slice(0, 10), amount: 10, currency: 'EUR' }];
    expect(cheaper.price.price_history).toEqual(earlier);
    expect(cheaper.boat).toEqual({ type: 'boat', brand: 'Hanse', price_history: earlier });
  });

  test('400 for a currency that does not exist, in either history', async () => {
    const price_history = [{ date: '2024-01-01', amount: 1, currency: 'ZZZ' }];
    expect(await refused({ price_history })).toEqual([
      400,
      'validation_error',
      ['/body/boat/price_history/0/currency'],
    ]);
    const price = { amount: 1, currency: 'EUR', negotiable: false, price_history };
    const { status, body: answer } = await seller.post('/api/listings', body({}, { price }));
    expect([status, answer.error.details.errors[0].path]).toEqual([400, '/body/price/price_history/0/currency']);
  });

  const tables: [string, FieldTable, (fields: object) => object][] = [
    ['', topLevel, (fields) => fields],
    ...Object.entries(specs).map(([group, table]): [string, FieldTable, (fields: object) => object] => [
      `/specs/${group}`,
      table,
      (fields) => ({ specs: { [group]: fields } }),
    ]),
  ];

  test.each(tables)('400 with the path for every wrong value of boat%s', async (path, table, place) => {
    for (const [name, kind] of Object.entries(table)) {
      for (const value of wrongValues(kind)) {
        const answer = await refused(place({ ...filled(table), [name]: value }));
        expect([name, value, ...answer]).toEqual([name, value, 400, 'validation_error', [`/body/boat${path}/${name}`]]);
      }
    }
  });

  test.each(tables)('400 for a field that boat%s does not have', async (path, table, place) => {
    const answer = await refused(place({ ...filled(table), surprise: 1 }));
    expect(answer).toEqual([400, 'validation_error', [`/body/boat${path}/surprise`]]);
  });

  test.each<[string, object]>([
    ['/year', { year: 1_799 }],
    ['/specs/surprise', { specs: { surprise: {} } }],
    ['/specs/tanks', { specs: { tanks: [] } }],
    ['/images/0/type', { images: [{ url: 'https://a.example/1.jpg', type: 'sunset' }] }],
    ['/images/0/order', { images: [{ url: 'https://a.example/1.jpg', order: 1.5 }] }],
    ['/images/0/url', { images: [{ url: 'javascript:alert(1)' }] }],
    ['/source/portals/0', { source: { portals: [7] } }],
    ['/source/first_seen', { source: { first_seen: '2026-02-30T10:00:00Z' } }],
    ['/source/scrape_count', { source: { scrape_count: -1 } }],
    ['/source/surprise', { source: { surprise: 1 } }],
    ['/seo/meta_title', { seo: { meta_title: 'm'.repeat(71) } }],
    ['/seo/meta_description', { seo: { meta_description: 'm'.repeat(161) } }],
    ['/seo/keywords', { seo: { keywords: 'yacht' } }],
    ['/seo/surprise', { seo: { surprise: 1 } }],
    ['/price_history/0/date', { price_history: [{ date: '2026-02-30', amount: 1, currency: 'EUR' }] }],
    ['/price_history/0/amount', { price_history: [{ date: '2026-02-01', amount: -1, currency: 'EUR' }] }],
    ['/price_history/0/currency', { price_history: [{ date: '2026-02-01', amount: 1 }] }],
  ])('400 at boat%s', async (path, boat) => {
    const [status, code, paths] = await refused(boat);
    expect([status, code]).toEqual([400, 'validation_error']);
    expect(paths).toContain(`/body/boat${path}`);
  });

  test.each<[string, object]>([
    ['/price/vat_rate', { price: { amount: 1, currency: 'EUR', negotiable: false, vat_rate: 101 } }],
    ['/price/vat_included', { price: { amount: 1, currency: 'EUR', negotiable: false, vat_included: 'yes' } }],
    ['/location/lat', { location: { country: 'DE', city: 'Kiel', shipping: false, lat: 90.01 } }],
    ['/location/lng', { location: { country: 'DE', city: 'Kiel', shipping: false, lng: -180.5 } }],
    ['/location/marina', { location: { country: 'DE', city: 'Kiel', shipping: false, marina: 'm'.repeat(201) } }],
  ])('400 at %s', async (path, fields) => {
    const { status, body: answer } = await seller.post('/api/listings', body(undefined, fields));
    expect([status, answer.error.details.errors]).toMatchObject([400, [{ path: `/body${path}` }]]);
  });
});
