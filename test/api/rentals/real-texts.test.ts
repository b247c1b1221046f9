import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { readBoats } from '../../bench/dataset-rows.ts';
import { startApp, type Client, type TestApp } from '../../support/app.ts';
import { storableDictionary } from '../../support/arbitrary-dictionary.ts';
import { dataFile } from '../../support/data.ts';
import { rentalBody } from './fixture.ts';

const EVERY = 60;
const rows = ['antwerp_2024-06', 'edinburgh_2024-09'].flatMap((name) => {
  const file = dataFile(`rentals-insideairbnb/${name}.csv.gz`);
  if (file === undefined) return [];
  const offers = readBoats(gunzipSync(readFileSync(file)).toString('utf8'));
  return offers.filter((_, index) => index % EVERY === 0);
});

let app: TestApp;
let owner: Client;
beforeAll(async () => {
  app = await startApp();
  owner = app.as(await app.createUser());
});
afterAll(async () => {
  await app.close();
});

test.runIf(rows.length > 0)(
  'what people write about their rentals is stored as it is, or refused for a reason',
  async () => {
    let stored = 0;
    for (const {
      name: title = '',
      description = '',
      price = '',
      property_type = '',
      neighbourhood_cleansed: city = '',
    } of rows) {
      const price_per_day = Number(price.replaceAll(/[$,]/g, ''));
      const fields = { title, description, price_per_day, boat_type: property_type, location: { country: 'GB', city } };
      const created = await owner.post('/api/rentals', rentalBody(fields));
      if (created.status !== 201) {
        expect(created.status).toBe(400);
        const isShort = title.length < 5 || title.length > 120 || description.length < 20;
        expect(isShort || created.body.error.code === 'moderation_rejected').toBe(true);
        continue;
      }
      stored += 1;
      const { id } = created.body;
      expect((await app.as().get(`/api/rentals/${id}`)).body).toMatchObject(fields);
      const [, facts = ''] = (await app.as().get(`/api/rentals/${id}.md`)).text.split(/^---$/m);
      expect(parse(facts)).toMatchObject({ id, title, boat_type: property_type, location: { country: 'GB', city } });
    }
    expect(stored / rows.length).toBeGreaterThan(0.85);
    const catalog = await app.as().get('/api/rentals.md?limit=100');
    expect(catalog.text.match(/^## /gm)).toHaveLength(Math.min(100, stored));
  },
);

test('texts of every kind come back byte for byte, to the reader of a rental and to both sides of a booking', async () => {
  const availability = { available_from: '2020-01-01', available_to: '9999-12-31' };
  const id = (await owner.post('/api/rentals', rentalBody({ availability }))).body.id;
  const renter = app.as(await app.createUser());
  const texts = storableDictionary.map(([, text]) => text).filter((text) => text.trim() && [...text].length <= 60);
  expect(texts.length).toBeGreaterThan(20);
  for (const text of texts) {
    const fields = { boat_type: text, location: { country: 'DE', city: text, region: text } };
    expect((await owner.patch(`/api/rentals/${id}`, fields)).body).toMatchObject(fields);
    const [, facts = ''] = (await app.as().get(`/api/rentals/${id}.md`)).text.split(/^---$/m);
    expect(parse(facts)).toMatchObject(fields);
    const found = await app.as().get(`/api/rentals?${new URLSearchParams({ boat_type: text }).toString()}`);
    expect(found.body.pagination.total).toBe(1);
    const asked = { date_from: '2999-01-01', date_to: '2999-01-02', message: text };
    expect((await renter.post(`/api/rentals/${id}/bookings`, asked)).body.message).toBe(text);
  }
  const { body } = await owner.get(`/api/rentals/${id}/bookings?limit=100`);
  expect(body.results.map((each: { message: string }) => each.message)).toEqual(texts.toReversed().slice(0, 100));
});
