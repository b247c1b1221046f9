import { afterAll, beforeAll, expect, test } from 'vitest';
import { imageKeyOf, thumbnailKeyOf } from '../../../shared/listings/images.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { listingBody } from '../../support/listing-bodies.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

const newSeller = async () => app.as(await app.createUser());
const countRows = async (table: string, where = 'true') => {
  const { rows } = await app.database.pool.query<{ n: number }>(
    `select count(*)::int as n from ${table} where ${where}`,
  );
  return rows[0]?.n ?? 0;
};

test('201 with the draft, its address and its defaults', async () => {
  const user = await app.createUser({ name: 'Anna Petersen' });
  const reply = await app
    .as(user)
    .post('/api/listings', listingBody({ title: 'Yamaha F20 Außenborder, 2018', category_id: 'outboards' }));
  expect(reply.status).toBe(201);
  expect(reply.headers.get('location')).toBe(`${app.url}/api/listings/${reply.body.id}`);
  expect(reply.body).toMatchObject({
    id: expect.stringMatching(/^lst_/),
    slug: 'yamaha-f20-aussenborder-2018',
    status: 'draft',
    type: 'sale',
    images: [],
    tags: [],
    views: 0,
    seller: { id: user.id, name: 'Anna Petersen' },
    category: { id: 'outboards' },
    meta: { source: 'api', language: 'en' },
    premium: { type: 'none' },
  });
  const days = (Date.parse(reply.body.expires_at) - Date.parse(reply.body.created_at)) / 86_400_000;
  expect(days).toBe(30);
});

test('everything that was sent is stored and read back', async () => {
  const seller = await newSeller();
  const body = listingBody({
    title: 'Segelyacht „Möwe“ 🐚, gepflegt',
    description:
      'Sehr gepflegte Segelyacht mit neuem Motor und neuer Elektrik, liegt im Wasser und ist sofort segelbereit.',
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
    attributes: { brand: 'Bavaria', year: 2006, length: '11.99', custom_key: ['a', 'b'] },
    tags: ['segeln', 'ostsee'],
    meta: { source: 'web', language: 'de' },
  });
  const { body: created } = await seller.post('/api/listings', body);
  const { category_id: _, ...sent } = body;
  expect(created).toMatchObject({
    ...sent,
    category: { id: 'cruising' },
    attributes: { brand: 'Bavaria', year: 2006, length: 11.99, custom_key: ['a', 'b'] },
  });
});

test('attributes that the boat implies are derived, said ones win', async () => {
  const seller = await newSeller();
  const { body } = await seller.post(
    '/api/listings',
    listingBody({
      attributes: { brand: 'Said' },
      boat: {
        type: 'boat',
        brand: 'Implied',
        model: '46',
        year: 2015,
        specs: { dimensions: { length_overall_m: 14.27, beam_m: 4.35 } },
      },
    }),
  );
  expect(body.attributes).toMatchObject({ brand: 'Said', model: '46', year: 2015, length: 14.27, beam: 4.35 });
  expect(body.boat).toMatchObject({ brand: 'Implied', specs: { dimensions: { beam_m: 4.35 } } });
  const { rows } = await app.database.pool.query('select year, length_m from listings where id = $1', [body.id]);
  expect(rows[0]).toMatchObject({ year: 2015, length_m: 14.27 });
});

test('400 names every unreal code and refused attribute', async () => {
  const seller = await newSeller();
  const { status, body } = await seller.post(
    '/api/listings',
    listingBody({
      price: { amount: 1, currency: 'XXX', negotiable: false },
      location: { country: 'ZZ', city: 'Nowhere', shipping: false },
      attributes: { year: 'old' },
      meta: { source: 'api', language: 'qq' },
    }),
  );
  expect(status).toBe(400);
  expect(body.error.code).toBe('validation_error');
  expect(body.error.details.errors.map(({ path }: { path: string }) => path)).toEqual([
    '/body/price/currency',
    '/body/location/country',
    '/body/meta/language',
    '/body/attributes/year',
  ]);
});

test('400 with the valid categories for an unknown one', async () => {
  const { status, body } = await (await newSeller()).post('/api/listings', listingBody({ category_id: 'sailbaots' }));
  expect(status).toBe(400);
  expect(body.error).toMatchObject({ code: 'validation_error', details: { errors: [{ path: '/body/category_id' }] } });
  expect(body.error.details.valid_categories).toContain('sailboats');
});

test('400 without that list in the general profile', async () => {
  const general = await startApp({ profile: 'general' });
  try {
    const client = general.as(await general.createUser());
    const { status, body } = await client.post('/api/listings', listingBody({ category_id: 'sailbaots' }));
    expect(status).toBe(400);
    expect(body.error.details.valid_categories).toBeUndefined();
  } finally {
    await general.close();
  }
});

test('400 moderation_rejected with the reasons', async () => {
  const { status, body } = await (
    await newSeller()
  ).post(
    '/api/listings',
    listingBody({
      description: `Look at ${Array.from({ length: 8 }, (_, index) => `https://spam${index}.example.com/x`).join(' ')}`,
    }),
  );
  expect(status).toBe(400);
  expect(body.error).toMatchObject({ code: 'moderation_rejected', details: { reasons: ['link_spam'] } });
});

test('moderation_rejected tells several reasons as one sentence each, and lists their codes', async () => {
  const links = Array.from({ length: 8 }, (_, index) => `https://spam${index}.example.com/x`).join(' ');
  const { body } = await (
    await newSeller()
  ).post('/api/listings', listingBody({ description: `Genuine cocaine and viagra, look at ${links}` }));
  const { message, details } = body.error;
  expect(details.reasons.length).toBeGreaterThan(1);
  expect(details.reasons).toContain('link_spam');
  const sentences = message.split(/(?<=\.) (?=[A-Z])/);
  expect(sentences.length).toBeGreaterThan(1);
  for (const sentence of sentences) expect(sentence).toMatch(/^[A-Z][^.]*\.$/);
});

test('401 without a credential, 403 with a read key', async () => {
  expect((await app.as().post('/api/listings', {})).status).toBe(401);
  const { body: key } = await (await newSeller()).post('/api/api-keys', { name: 'reader', permissions: 'read' });
  expect((await app.as(key.key).post('/api/listings', listingBody())).status).toBe(403);
});

test('409 duplicate_listing names the listing there is, whatever letter case and white space', async () => {
  const seller = await newSeller();
  const body = listingBody();
  const first = await seller.post('/api/listings', body);
  const second = await seller.post('/api/listings', {
    ...body,
    title: body.title.toUpperCase(),
    description: `  ${body.description.replaceAll(' ', '\n ')}`,
  });
  expect(second.status).toBe(409);
  expect(second.body.error).toMatchObject({ code: 'duplicate_listing', details: { listing_id: first.body.id } });
  expect((await (await newSeller()).post('/api/listings', body)).status).toBe(201);
});

test('20 parallel creates of one text make exactly one listing', async () => {
  const seller = await newSeller();
  const body = listingBody();
  const replies = await Promise.all(Array.from({ length: 20 }, () => seller.post('/api/listings', body)));
  const statuses = replies.map(({ status }) => status).toSorted((a, b) => a - b);
  expect(statuses).toEqual([201, ...Array.from({ length: 19 }, () => 409)]);
  const made = replies.find(({ status }) => status === 201);
  for (const { body: answer } of replies.filter(({ status }) => status === 409)) {
    expect(answer.error.details.listing_id).toBe(made?.body.id);
  }
});

test('20 parallel creates with one title get 20 slugs', async () => {
  const seller = await newSeller();
  const title = 'One title for twenty boats';
  const replies = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      seller.post(
        '/api/listings',
        listingBody({ title, description: `Boat number ${index}, a well kept cruiser from first hand.` }),
      ),
    ),
  );
  expect(replies.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 201));
  const slugs = new Set(replies.map(({ body }) => body.slug));
  expect(slugs.size).toBe(20);
  expect(slugs).toContain('one-title-for-twenty-boats');
});

test('the event and the job of a draft are there, none of a refused one, and none that brings a draft into the search', async () => {
  const seller = await newSeller();
  const body = listingBody({ images: [{ url: 'https://pictures.example.com/a.jpg', alt: 'bow' }] });
  const { body: created } = await seller.post('/api/listings', body);
  expect(await countRows('events', `subject = '${created.id}' and type = 'listing.created'`)).toBe(1);
  expect(await countRows('pgboss.job', `name = 'localize-images' and data->>'listing_id' = '${created.id}'`)).toBe(1);
  expect(await countRows('pgboss.job', `name = 'index-listing' and data->'listing_ids' ? '${created.id}'`)).toBe(0);
  expect(await countRows('listing_images', `listing_id = '${created.id}' and status = 'pending' and alt = 'bow'`)).toBe(
    1,
  );
  const before = [await countRows('events'), await countRows('pgboss.job'), await countRows('listing_images')];
  expect((await seller.post('/api/listings', body)).status).toBe(409);
  expect([await countRows('events'), await countRows('pgboss.job'), await countRows('listing_images')]).toEqual(before);
});

test('pictures that are stored here are taken as they are; unknown ones are 400', async () => {
  const seller = await newSeller();
  const sha256 = 'ab'.repeat(32);
  await app.database.db
    .insertInto('images')
    .values({
      sha256,
      storage_key: imageKeyOf(sha256),
      thumbnail_key: thumbnailKeyOf(sha256),
      width: 10,
      height: 10,
      bytes: 100,
      dhash: 1,
      created_at: new Date(),
    })
    .execute();
  const url = `${app.url}/static/${imageKeyOf(sha256)}`;
  const { status, body } = await seller.post('/api/listings', listingBody({ images: [{ url, alt: 'hull' }] }));
  expect(status).toBe(201);
  expect(body.images).toEqual([{ url, alt: 'hull', thumbnail_url: `${app.url}/static/${thumbnailKeyOf(sha256)}` }]);

  const missing = listingBody({ images: [{ url }, { url: url.replaceAll('ab', 'cd') }] });
  const refused = await seller.post('/api/listings', missing);
  expect(refused.status).toBe(400);
  expect(refused.body.error.details.errors).toEqual([
    { path: '/body/images/1/url', message: 'is not an image stored here' },
  ]);
});

test('429 after ten creates of a day; failed ones do not count', async () => {
  const limited = await startApp({ env: { RATE_LIMIT_MULTIPLIER: '1' }, profile: 'general' });
  try {
    const client = limited.as(await limited.createUser());
    const body = listingBody({ category_id: 'boats' });
    expect((await client.post('/api/listings', { ...body, category_id: 'none' })).status).toBe(400);
    expect((await client.post('/api/listings', body)).status).toBe(201);
    expect((await client.post('/api/listings', body)).status).toBe(409);
    const replies = await Promise.all(
      Array.from({ length: 15 }, () => client.post('/api/listings', listingBody({ category_id: 'boats' }))),
    );
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      ...Array.from({ length: 9 }, () => 201),
      ...Array.from({ length: 6 }, () => 429),
    ]);
    const refused = replies.find(({ status }) => status === 429);
    expect(refused?.body.error.code).toBe('rate_limited');
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
  } finally {
    await limited.close();
  }
});

test('429 after twenty creates of a day from one address in the nautical profile', async () => {
  // Twice the limits: the minute limit of 30 writes must not come first.
  const limited = await startApp({ env: { RATE_LIMIT_MULTIPLIER: '2' } });
  try {
    const clients = await Promise.all(Array.from({ length: 3 }, async () => limited.as(await limited.createUser())));
    const replies = await Promise.all(
      clients.flatMap((client) => Array.from({ length: 15 }, () => client.post('/api/listings', listingBody()))),
    );
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(40);
    expect(replies.filter(({ status }) => status === 429)).toHaveLength(5);
  } finally {
    await limited.close();
  }
});
