import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type Json, type TestApp, type TestUser } from '../support/app.ts';
import { storableDictionary } from '../support/arbitrary-dictionary.ts';
import { sample } from '../support/lane.ts';

let app: TestApp;
let user: TestUser;
let admin: TestUser;
beforeAll(async () => {
  app = await startApp();
  user = await app.createUser();
  admin = await app.createUser({ role: 'admin' });
});
afterAll(async () => {
  await app.close();
});

describe('stored text comes back byte for byte', () => {
  const whole = (text: string) => `A boat: ${text} and her trailer.`;
  const listing = {
    category_id: 'sailboats',
    condition: 'good',
    price: { amount: 1, currency: 'EUR', negotiable: false },
  };
  const place = { country: 'DE', city: 'Kappeln', shipping: false };
  const fields: [field: string, limit: number, body: (text: string) => object, read: (listing: Json) => unknown][] = [
    ['title', 80, (text) => ({ title: text }), ({ title }) => title],
    ['description', 4_000, (text) => ({ description: text }), ({ description }) => description],
    ['city', 80, (text) => ({ location: { ...place, city: text } }), ({ location }) => location.city],
    ['tag', 30, (text) => ({ tags: [text] }), ({ tags }) => tags[0]],
    ['attribute', 100, (text) => ({ attributes: { brand: text } }), ({ attributes }) => attributes.brand],
    [
      'boat',
      80,
      (text) => ({ boat: { brand: 'X', specs: { construction: { designer: text } } } }),
      ({ boat }) => boat.specs.construction.designer,
    ],
  ];

  test.each(fields)('%s of a listing', async (name, limit, body, read) => {
    const seller = app.as(user);
    const fitting = storableDictionary
      .map(([, text]) => (limit > 40 ? whole(text) : text))
      .filter((text) => text.trim() && text.length <= limit);
    const texts = sample(
      fitting,
      8,
      fields.findIndex(([each]) => each === name),
    );
    let stored = 0;
    for (const [index, text] of texts.entries()) {
      const title = `A boat of her own kind, ${name} ${index}`;
      const created = await seller.post('/api/listings', {
        title,
        description: `${title}, sound and dry.`,
        location: place,
        ...listing,
        ...body(text),
      });
      if (created.body.error?.code === 'moderation_rejected') continue;
      const found = await seller.get(`/api/listings/${created.body.id}`);
      expect(read(found.body)).toBe(text);
      stored += 1;
    }
    expect(stored / texts.length).toBeGreaterThan(0.7);
  });

  test('the raw record of an ingested page', async () => {
    const texts = storableDictionary.map(([, text]) => text).filter((text) => text.length < 2_000);
    const url = 'https://boats.example.com/raw';
    const record = {
      url,
      title: 'A sound dinghy with oars',
      description: 'She rows like a dream and leaks a little.',
      category_id: 'sailboats',
      raw_record: { texts },
    };
    const { body } = await app.as(user).post('/api/ingest', { records: [record] });
    const found = await app.as(user).get(`/api/listings/${body.ids[url]}`);
    expect(found.body.meta.origin.raw_record).toEqual({ texts });
  });

  const names = storableDictionary.filter(([, text]) => text.trim() === text && text !== '' && [...text].length <= 90);
  test.each(sample(names, 8))('%s as a name', async (_name, text) => {
    const email = `${randomUUID()}@example.com`;
    const { body } = await app.as().post('/api/auth/register', { email, password: 'long enough', name: text });
    expect((await app.as(body.token).get('/api/me')).body.user.name).toBe(text);
    const key = await app.as(body.token).post('/api/api-keys', { name: text });
    expect(key.body.label).toBe(text);
    const scraper = await app
      .as(admin)
      .post('/api/admin/scrapers', { name: text, start_urls: ['https://boats.example.com/'] });
    expect(scraper.body.name).toBe(text);
  });
});
