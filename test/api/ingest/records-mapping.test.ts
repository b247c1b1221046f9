import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { ingestBody } from '../../support/listing-bodies.ts';

let app: TestApp;
let scout: TestUser;
beforeAll(async () => {
  app = await startApp();
  scout = await app.createUser();
});
afterAll(() => app.close());

const ingestOne = async (record: Record<string, unknown> & { url: string }) => {
  const { status, body } = await app.as(scout).post('/api/ingest', { records: [record] });
  expect({ status, skipped: body.skipped, failed: body.failed }).toEqual({ status: 200, skipped: [], failed: [] });
  const id: string = body.ids[record.url];
  const { rows } = await app.database.pool.query('select * from listings where id = $1', [id]);
  return { id, listing: rows[0] };
};

test('what a record leaves out is derived', async () => {
  const { listing } = await ingestOne({
    url: 'https://www.bootsmarkt.de/anzeige/77',
    title: 'Segelyacht Bavaria 38 mit neuem Motor zu verkaufen, sehr gepflegt',
    description:
      'Die Yacht liegt in Kiel und wurde immer gut gepflegt, der Motor ist neu und die Segel sind wenig gebraucht.',
    boat: { brand: 'Bavaria', model: '38', year: 2006, specs: { dimensions: { length_overall_m: 11.9 } } },
  });
  expect(listing).toMatchObject({
    condition: 'good',
    type: 'sale',
    price_amount: 0,
    price_currency: 'EUR',
    country: 'DE',
    city: 'Germany',
    language: 'de',
    shipping: false,
    year: 2006,
    attributes: { brand: 'Bavaria', model: '38', year: 2006, length: 11.9 },
  });
});

test.each([
  [
    'the country it names',
    { url: 'https://a.example.com/1', location: { country_name: 'Frankreich' } },
    { country: 'FR', price_currency: 'EUR' },
  ],
  ['the national ending of its site', { url: 'https://a.example.co.uk/1' }, { country: 'GB', price_currency: 'GBP' }],
  [
    'the currency that one country uses',
    { url: 'https://a.example.com/2', price: { amount: 5, currency: 'SEK' } },
    { country: 'SE' },
  ],
  ['nothing: unknown', { url: 'https://a.example.io/3' }, { country: 'ZZ', city: 'Unknown', price_currency: 'EUR' }],
])('a record without a country gets it from %s', async (_, fields, expected) => {
  const { listing } = await ingestOne({ ...ingestBody({ location: undefined, price: undefined }), ...fields });
  expect(listing).toMatchObject(expected);
});

test('too long texts are cut at a word and kept whole; too short ones are completed from the facts', async () => {
  const title = `A ${'very long title '.repeat(20)}indeed`;
  const description = 'Sentence after sentence about a boat. '.repeat(300).trim();
  const long = (await ingestOne(ingestBody({ title, description }))).listing;
  expect([...long.title].length).toBeLessThanOrEqual(120);
  expect(long.title).toMatch(/ (?:very|long|title)…$/);
  expect([...long.description].length).toBeLessThanOrEqual(5_000);
  expect(long.long_description).toBe(`${title}\n\n${description}`);

  const short = (await ingestOne(ingestBody({ title: 'Boat', description: 'Nice.' }))).listing;
  expect(short.title).toBe('Boat Axopar 28 Cabin 2017');
  expect(short.description).toContain('Nice. Boat Axopar 28 Cabin 2017. Axopar 28 Cabin. Year 2017. Length 9.1 m.');
  expect(short.description).toContain('Palma, ES');
});

test('attributes are kept as sent when the template cannot hold them, and in its types when it can', async () => {
  const { id, listing } = await ingestOne(
    ingestBody({
      attributes: { year: 'around 1990', length: '9.5', hull_type: 'Monohull', Unknown_Key: true, empty: null },
    }),
  );
  expect(listing.attributes).toEqual({ year: 'around 1990', length: 9.5, hull_type: 'monohull', Unknown_Key: true });
  expect(listing).toMatchObject({ year: null, length_m: 9.5 });
  expect((await app.as(scout).post(`/api/listings/${id}/publish`)).status).toBe(200);
});

test('images wait to be fetched, in the order of the record; a new list replaces the old one', async () => {
  const pending = async (id: string) =>
    (
      await app.database.pool.query(
        'select source_url, status, alt from listing_images where listing_id = $1 order by position',
        [id],
      )
    ).rows;
  const record = ingestBody({
    images: [
      'https://p.example.com/1.jpg',
      { url: 'https://p.example.com/2.jpg', alt: 'stern' },
      'https://p.example.com/1.jpg',
    ],
  });
  const { id, listing } = await ingestOne(record);
  expect(listing.images).toEqual([]);
  expect(await pending(id)).toEqual([
    { source_url: 'https://p.example.com/1.jpg', status: 'pending', alt: null },
    { source_url: 'https://p.example.com/2.jpg', status: 'pending', alt: 'stern' },
  ]);
  const { rows } = await app.database.pool.query(
    `select singleton_key from pgboss.job where name = 'localize-images' and data->>'listing_id' = $1`,
    [id],
  );
  expect(rows).toEqual([{ singleton_key: id }]);
  await ingestOne({ ...record, images: ['https://p.example.com/3.jpg', 'https://p.example.com/2.jpg'] });
  expect((await pending(id)).map(({ source_url }) => source_url)).toEqual([
    'https://p.example.com/3.jpg',
    'https://p.example.com/2.jpg',
  ]);
  await ingestOne({ ...record, images: undefined, title: 'Says nothing about images' });
  expect(await pending(id)).toHaveLength(2);
});
