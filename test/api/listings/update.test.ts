import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type Client, type TestApp, type TestUser } from '../../support/app.ts';
import { ingestBody, listingBody } from '../../support/listing-bodies.ts';

let app: TestApp;
let owner: TestUser;
let seller: Client;
beforeAll(async () => {
  app = await startApp();
  owner = await app.createUser();
  seller = app.as(owner);
});
afterAll(() => app.close());

const create = async (fields: Parameters<typeof listingBody>[0] = {}, client = seller) =>
  (await client.post('/api/listings', listingBody(fields))).body;
const put = (id: string, body: unknown, client = seller) => client.put(`/api/listings/${id}`, body);
const rowOf = async (id: string) =>
  (await app.database.pool.query('select * from listings where id = $1', [id])).rows[0];
const eventsOf = async (id: string) =>
  (
    await app.database.pool.query(
      `select data, previous from events where subject = $1 and type = 'listing.updated' order by seq`,
      [id],
    )
  ).rows;
const today = () => new Date().toISOString().slice(0, 10);

test('everything that a listing says can be changed, and reads back as it was sent', async () => {
  const before = await create({ boat: { type: 'boat', brand: 'Bavaria' } });
  const sent = {
    title: 'Segelyacht „Möwe“ 🐚 in bester Pflege',
    description:
      'Sehr gepflegte Segelyacht mit neuem Motor und neuer Elektrik, sie liegt im Wasser und ist segelbereit.',
    category_id: 'outboards',
    condition: 'like_new',
    type: 'wanted',
    price: { amount: 0.1 + 0.2, currency: 'JPY', negotiable: false, vat_included: true, vat_rate: 8.1 },
    location: {
      country: 'DE',
      city: 'Kiel',
      shipping: true,
      postal_code: '24103',
      lat: 54.32,
      lng: 10.14,
      region: 'Holstein',
      marina: 'Düsternbrook',
    },
    attributes: { power: 20, custom_key: ['a', 'b'] },
    boat: { type: 'boat', brand: 'Yamaha', specs: { engine: { engine_hours: 12 } } },
    tags: ['segeln', 'ostsee'],
  };
  const { status, body } = await put(before.slug, sent);
  const { category_id: _, boat: __, attributes: ___, ...same } = sent;
  expect(status).toBe(200);
  expect(body).toMatchObject({
    ...same,
    id: before.id,
    slug: before.slug,
    status: 'draft',
    created_at: before.created_at,
    expires_at: before.expires_at,
    category: { id: 'outboards' },
    attributes: { power: 20, custom_key: ['a', 'b'], brand: 'Yamaha' },
    boat: { ...sent.boat, price_history: [{ date: today(), amount: 129_000, currency: 'EUR' }] },
    meta: { source: 'api', language: 'de' },
  });
  expect(Date.parse(body.updated_at)).toBeGreaterThan(Date.parse(before.updated_at));
  expect((await seller.get(`/api/listings/${before.id}`)).body).toEqual(body);
});

test('what is not sent stays; what takes the place of something does so as a whole', async () => {
  const before = await create({
    price: { amount: 500, currency: 'EUR', negotiable: true, vat_included: true },
    location: { country: 'ES', city: 'Palma', shipping: true, postal_code: '07001', lat: 39.5, lng: 2.6 },
    attributes: { brand: 'Bavaria', year: 2006, custom_key: 'x' },
    tags: ['a', 'b'],
  });
  const { body } = await put(before.id, {
    price: { amount: 500, currency: 'EUR', negotiable: false },
    attributes: { brand: 'Bavaria', length: '11.99' },
    tags: [],
  });
  expect(body).toEqual({
    ...before,
    price: { amount: 500, currency: 'EUR', negotiable: false },
    attributes: { brand: 'Bavaria', length: 11.99 },
    tags: [],
    updated_at: body.updated_at,
  });
  expect(await rowOf(before.id)).toMatchObject({ year: null, length_m: 11.99 });
});

test('a lower price tells the earlier one, in the event and in the history of the boat', async () => {
  const { id } = await create({ price: { amount: 900, currency: 'EUR', negotiable: false } });
  await put(id, { price: { amount: 800, currency: 'EUR', negotiable: false } });
  await put(id, { price: { amount: 0, currency: 'EUR', negotiable: false } });
  const { body } = await put(id, { price: { amount: 700, currency: 'USD', negotiable: false } });
  expect(body.boat).toEqual({
    price_history: [
      { date: today(), amount: 900, currency: 'EUR' },
      { date: today(), amount: 800, currency: 'EUR' },
    ],
  });
  const [first, , third] = await eventsOf(id);
  expect(first).toEqual({
    data: expect.objectContaining({ price: { amount: 800, currency: 'EUR' } }),
    previous: { price: { amount: 900, currency: 'EUR' } },
  });
  expect(third.previous).toEqual({ price: { amount: 0, currency: 'EUR' } });
  await put(id, { boat: { type: 'boat', brand: 'Bavaria' } });
  expect((await seller.get(`/api/listings/${id}`)).body.boat).toMatchObject({
    brand: 'Bavaria',
    price_history: [{ amount: 900 }, { amount: 800 }],
  });
});

test('attributes that only repeated the boat follow a new one; those that were said stay', async () => {
  const boat = (year: number, beam_m: number) => ({
    type: 'boat' as const,
    brand: 'Bavaria',
    year,
    specs: { dimensions: { beam_m } },
  });
  const { id } = await create({ attributes: { brand: 'Said' }, boat: boat(2006, 3.97) });
  const { body } = await put(id, { boat: boat(2007, 4.01) });
  expect(body.attributes).toEqual({ brand: 'Said', year: 2007, beam: 4.01 });
  expect((await rowOf(id)).year).toBe(2007);
  expect((await put(id, { attributes: {} })).body.attributes).toEqual({ brand: 'Bavaria', year: 2007, beam: 4.01 });
});

test('what changes nothing leaves no trace: an empty body, or what is there already', async () => {
  const before = await create({
    attributes: { brand: 'Bavaria' },
    tags: ['a'],
    boat: { type: 'boat', year: 2001 },
    location: { country: 'ES', city: 'Palma', shipping: false, lat: 39.5, lng: 2.6 },
  });
  const row = await rowOf(before.id);
  const { title, description, condition, type, price, location, attributes, tags, boat } = before;
  for (const body of [
    {},
    { title, description, condition, type, price, location, attributes, tags, boat, images: [] },
  ]) {
    const answer = await put(before.id, body);
    expect([answer.status, answer.body]).toEqual([200, before]);
  }
  expect(await rowOf(before.id)).toEqual(row);
  expect(await eventsOf(before.id)).toEqual([]);
});

test('400 for meta, for what the service alone writes, and for unknown fields, nested ones too', async () => {
  const { id } = await create();
  const row = await rowOf(id);
  const refused = [
    { meta: { source: 'web' } },
    { status: 'active' },
    { slug: 'mine' },
    { views: 7 },
    { long_description: 'x' },
    { price: { amount: 1, currency: 'EUR', negotiable: true, secret: 1 } },
    { boat: { specs: { wings: 2 } } },
    { price: { amount: 1 } },
    { title: 'abcd' },
    { tags: Array.from({ length: 11 }, (_, index) => `tag ${index}`) },
    { location: { country: 'DE', city: 'Kiel', shipping: true, lat: 91 } },
    [],
    null,
  ];
  for (const body of refused) {
    const answer = await put(id, body);
    expect([body, answer.status, answer.body.error.code]).toEqual([body, 400, 'validation_error']);
  }
  expect(await rowOf(id)).toEqual(row);
});

test('400 names every code that is not real, and an unknown category lists the valid ones', async () => {
  const { id } = await create();
  const { status, body } = await put(id, {
    price: { amount: 1, currency: 'XXX', negotiable: false },
    location: { country: 'ZZ', city: 'Nowhere', shipping: false },
    attributes: { year: 'old' },
    tags: ['never stored'],
  });
  expect(status).toBe(400);
  expect(body.error.details.errors.map(({ path }: { path: string }) => path)).toEqual([
    '/body/price/currency',
    '/body/location/country',
    '/body/attributes/year',
  ]);
  const unknown = await put(id, { category_id: 'sailbaots' });
  expect(unknown.body.error).toMatchObject({
    code: 'validation_error',
    details: { errors: [{ path: '/body/category_id' }] },
  });
  expect(unknown.body.error.details.valid_categories).toContain('sailboats');
  expect((await rowOf(id)).tags).toEqual([]);
});

test('in another category the stored attributes must fit its template, or others come along', async () => {
  const { id } = await create({ attributes: { brand: 'Bavaria', shaft_length: 'rather long' } });
  const { status, body } = await put(id, { category_id: 'outboards' });
  expect(status).toBe(400);
  expect(body.error.details.errors).toMatchObject([{ path: '/body/attributes/shaft_length' }]);
  const moved = await put(id, { category_id: 'outboards', attributes: { brand: 'Yamaha', shaft_length: 'LONG' } });
  expect(moved.body).toMatchObject({
    category: { id: 'outboards' },
    attributes: { brand: 'Yamaha', shaft_length: 'long' },
  });
  expect(await eventsOf(id)).toMatchObject([
    { data: { category_id: 'outboards' }, previous: { category_id: 'cruising' } },
  ]);
});

test('400 moderation_rejected, and the listing stays as it was; doubts are kept until the text is better', async () => {
  const { id } = await create();
  const spam = `Look at ${Array.from({ length: 8 }, (_, index) => `https://spam${index}.example.com/x`).join(' ')}`;
  const refused = await put(id, { description: spam, tags: ['x'] });
  expect([refused.status, refused.body.error.code]).toEqual([400, 'moderation_rejected']);
  expect(refused.body.error.details.reasons).toEqual(['link_spam']);
  expect((await rowOf(id)).tags).toEqual([]);
  await put(id, { price: { amount: 123_456, currency: 'EUR', negotiable: false } });
  expect((await rowOf(id)).moderation).toMatchObject({ verdict: 'review', reasons: [{ code: 'placeholder_price' }] });
  await put(id, { condition: 'fair' });
  expect((await rowOf(id)).moderation).toMatchObject({ verdict: 'review' });
  await put(id, { price: { amount: 120_000, currency: 'EUR', negotiable: false } });
  expect((await rowOf(id)).moderation).toBeNull();
});

test('409 duplicate_listing names the other listing of the seller; its own text is no duplicate', async () => {
  const [first, second] = [await create(), await create()];
  const text = { title: first.title.toUpperCase(), description: ` ${first.description.replaceAll(' ', '\n')}` };
  const { status, body } = await put(second.id, text);
  expect(status).toBe(409);
  expect(body.error).toMatchObject({ code: 'duplicate_listing', details: { listing_id: first.id } });
  expect((await put(first.id, text)).status).toBe(200);
  const stranger = app.as(await app.createUser());
  expect((await put((await create({}, stranger)).id, text, stranger)).status).toBe(200);
  expect((await seller.delete(`/api/listings/${first.id}`)).status).toBe(200);
  expect((await put(second.id, text)).status).toBe(200);
});

test('20 listings that get one text at once: one has it, the others are told which', async () => {
  const all = await Promise.all(Array.from({ length: 20 }, () => create()));
  const { title, description } = listingBody();
  const replies = await Promise.all(all.map(({ id }) => put(id, { title, description })));
  const winners = replies.filter(({ status }) => status === 200);
  expect(winners).toHaveLength(1);
  for (const { status, body } of replies.filter((reply) => !winners.includes(reply))) {
    expect([status, body.error.code, body.error.details?.listing_id]).toEqual([
      409,
      'duplicate_listing',
      winners[0]?.body.id,
    ]);
  }
});

test('20 parallel updates of different fields all hold', async () => {
  const { id } = await create();
  const fields = [
    { condition: 'fair' },
    { tags: ['parallel'] },
    { price: { amount: 777, currency: 'EUR', negotiable: false } },
    { attributes: { brand: 'Parallel' } },
  ];
  const replies = await Promise.all(Array.from({ length: 20 }, (_, index) => put(id, fields[index % fields.length])));
  expect(replies.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
  expect((await seller.get(`/api/listings/${id}`)).body).toMatchObject(Object.assign({}, ...fields));
  expect(await eventsOf(id)).toHaveLength(fields.length);
});

test('the language follows the text, unless its client has stated another', async () => {
  const german =
    'Sehr gepflegte Segelyacht mit neuem Motor und neuer Elektrik, sie liegt im Wasser und ist segelbereit.';
  const { id, meta } = await create();
  expect(meta.language).toBe('en');
  expect((await put(id, { description: `${german} Und mehr.` })).body.meta.language).toBe('de');
  const stated = await create({ meta: { source: 'api', language: 'fr' } });
  expect((await put(stated.id, { description: german })).body.meta.language).toBe('fr');
});

test('a scraped listing keeps its page as its identity, whatever its text becomes', async () => {
  const record = ingestBody();
  const { body } = await seller.post('/api/ingest', { records: [record] });
  const id: string = body.ids[record.url];
  const other = await create();
  const { status, body: changed } = await put(id, { title: other.title, description: other.description });
  expect(status).toBe(200);
  expect(changed.meta).toMatchObject({ source: 'scraped', origin: { url: record.url } });
  expect((await rowOf(id)).content_hash).toBeNull();
});

test('a text rewritten from the old one is shown until it is rewritten anew', async () => {
  const { id } = await create();
  await app.database.pool.query(
    `insert into listing_rewrites (listing_id, locale, status, title, description, updated_at)
     values ($1, 'de', 'completed', 'Alter Titel', 'Eine alte Beschreibung, die lange genug ist.', now())`,
    [id],
  );
  const german = async () => (await seller.get(`/api/listings/${id}?lang=de`)).body.title;
  await put(id, { title: 'A new title altogether' });
  expect(await german()).toBe('Alter Titel');
  expect((await seller.get(`/api/listings/${id}?lang=en`)).body.title).toBe('A new title altogether');
});

test('a city without coordinates is found on the map; those that were given end with their city', async () => {
  const { id } = await create({ location: { country: 'ES', city: 'Palma', shipping: false, lat: 39.5, lng: 2.6 } });
  const kept = await put(id, { location: { country: 'ES', city: 'Palma', shipping: true } });
  expect(kept.body.location).toMatchObject({ shipping: true, lat: 39.5, lng: 2.6 });
  const moved = await put(id, { location: { country: 'DE', city: 'Kiel', shipping: true } });
  expect(Math.round(moved.body.location.lat)).toBe(54);
});

test('the search finds the new text at once, and the old one no more', async () => {
  const { id } = await create({ title: 'Xylophonic yacht for sale' });
  await seller.post(`/api/listings/${id}/publish`);
  await put(id, { title: 'Zymurgic yacht for sale' });
  const find = async (q: string) =>
    (await seller.get(`/api/listings?q=${q}`)).body.results.map((each: { id: string }) => each.id);
  expect(await find('zymurgic')).toEqual([id]);
  expect(await find('xylophonic')).toEqual([]);
  const jobs = await app.database.pool.query(
    `select 1 from pgboss.job where name = 'index-listing' and data->'listing_ids' ? $1`,
    [id],
  );
  expect(jobs.rowCount).toBe(2);
});
