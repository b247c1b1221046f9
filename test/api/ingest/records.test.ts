import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type Json, type TestApp, type TestUser } from '../../support/app.ts';
import { ingestBody } from '../../support/listing-bodies.ts';

let app: TestApp;
let scout: TestUser;
beforeAll(async () => {
  app = await startApp();
  scout = await app.createUser();
});
afterAll(() => app.close());

const ingest = (records: unknown[], who: TestUser = scout) => app.as(who).post('/api/ingest', { records });
const ingestOne = async (record: Record<string, unknown> & { url: string }, who: TestUser = scout) => {
  const { status, body } = await ingest([record], who);
  expect({ status, skipped: body.skipped, failed: body.failed }).toEqual({ status: 200, skipped: [], failed: [] });
  const id: string = body.ids[record.url];
  return {
    ...body,
    id,
    listing: (await app.database.pool.query('select * from listings where id = $1', [id])).rows[0],
  };
};
const sourceOf = async (id: string) =>
  (await app.database.pool.query('select * from listing_sources where listing_id = $1', [id])).rows[0];
const eventsOf = async (id: string) =>
  (await app.database.pool.query('select type, data, previous from events where subject = $1 order by seq', [id])).rows;

test('a new page becomes a draft of the caller with its origin', async () => {
  const record = ingestBody({
    raw_record: { price_text: '98.000 EUR' },
    scraped_at: '2026-01-02T03:04:05.000Z',
    url: 'https://Boats.example.com/one/?b=2&utm_source=x&a=1#top',
  });
  const { id, listing, created } = await ingestOne(record);
  expect(created).toBe(1);
  expect(listing).toMatchObject({
    status: 'draft',
    seller_id: scout.id,
    source: 'scraped',
    language: 'en',
    category_id: 'cabin-cruisers',
    year: 2017,
    length_m: 9.1,
    content_hash: null,
  });
  expect(await sourceOf(id)).toMatchObject({
    url: record.url,
    normalized_url: 'https://boats.example.com/one?a=1&b=2',
    site: 'boats.example.com',
    raw_record: { price_text: '98.000 EUR' },
    scraped_at: new Date('2026-01-02T03:04:05Z'),
    due_at: new Date('2026-01-03T03:04:05Z'),
    scrape_count: 1,
  });
  expect((await eventsOf(id)).map(({ type }) => type)).toEqual(['listing.created']);
});

test('the same page again is unchanged, whenever it was scraped and however its address is written', async () => {
  const record = ingestBody({ scraped_at: '2026-01-02T00:00:00Z' });
  const first = await ingestOne(record);
  const again = await ingestOne({
    ...record,
    url: `${record.url}/?utm_medium=mail#pictures`,
    scraped_at: '2026-01-05T00:00:00Z',
  });
  expect(again).toMatchObject({ created: 0, updated: 0, unchanged: 1, id: first.id });
  expect(again.listing.version).toBe(first.listing.version);
  expect(await sourceOf(first.id)).toMatchObject({
    scraped_at: new Date('2026-01-05T00:00:00Z'),
    interval_hours: 48,
    due_at: new Date('2026-01-07T00:00:00Z'),
    scrape_count: 2,
  });
  expect(await eventsOf(first.id)).toHaveLength(1);
});

test('an address in capitals is the same page', async () => {
  const record = ingestBody();
  const { id } = await ingestOne(record);
  const url = record.url.replace(/^https?:\/\/[^/]+/, (start) => start.toUpperCase());
  expect(await ingestOne({ ...record, url })).toMatchObject({ created: 0, id });
});

test('a changed price updates the listing, keeps the earlier price and tells it in the event', async () => {
  const record = ingestBody({ scraped_at: '2026-01-02T00:00:00Z', price: { amount: 98_000, currency: 'EUR' } });
  const { id, listing } = await ingestOne(record);
  const cheaper = { ...record, scraped_at: '2026-01-09T00:00:00Z', price: { amount: 92_000, currency: 'EUR' } };
  expect(await ingestOne(cheaper)).toMatchObject({
    updated: 1,
    id,
    listing: { price_amount: 92_000, slug: listing.slug, version: 2 },
  });
  await ingestOne({ ...cheaper, scraped_at: '2026-01-20T00:00:00Z', price: { amount: 90_000, currency: 'EUR' } });
  const { body } = await app.as(scout).post(`/api/listings/${id}/publish`);
  expect(body.boat.price_history).toEqual([
    { date: '2026-01-02', amount: 98_000, currency: 'EUR' },
    { date: '2026-01-09', amount: 92_000, currency: 'EUR' },
  ]);
  const [, updated] = await eventsOf(id);
  expect(updated).toMatchObject({
    type: 'listing.updated',
    data: { listing_id: id, price: { amount: 92_000, currency: 'EUR' } },
    previous: { price: { amount: 98_000, currency: 'EUR' } },
  });
});

test('one bad record never fails the batch, and each is told why', async () => {
  const good = [ingestBody(), ingestBody()];
  const bad: [unknown, string | null, string][] = [
    [null, null, 'not an object'],
    ['text', null, 'not an object'],
    [[], null, 'not an object'],
    [{ title: 'Without an address' }, null, 'no url'],
    [{ url: 42 }, null, 'no url'],
    [{ url: 'https://x.example.com/no-title' }, 'https://x.example.com/no-title', 'no title'],
    [ingestBody({ url: 'ftp://x.example.com/1' }), 'ftp://x.example.com/1', 'schema'],
    [ingestBody({ url: 'nonsense' }), 'nonsense', 'schema'],
    [
      ingestBody({ url: 'https://x.example.com/nul', title: 'A title with\u0000NUL' }),
      'https://x.example.com/nul',
      'cannot be stored',
    ],
    [
      ingestBody({ url: 'https://x.example.com/half', raw_record: { a: '\ud800' } }),
      'https://x.example.com/half',
      'cannot be stored',
    ],
    [
      ingestBody({ url: 'https://x.example.com/deep', raw_record: { a: deep(40) } }),
      'https://x.example.com/deep',
      'cannot be stored',
    ],
    [
      JSON.parse('{"url":"https://x.example.com/key","raw_record":{"__proto__":{"polluted":true}}}'),
      'https://x.example.com/key',
      'cannot be stored',
    ],
    [
      ingestBody({ url: 'https://x.example.com/currency', price: { amount: 1, currency: 'XXX' } }),
      'https://x.example.com/currency',
      'code',
    ],
    [
      ingestBody({ url: 'https://x.example.com/price', price: { amount: '12', currency: 'EUR' } }),
      'https://x.example.com/price',
      'schema',
    ],
    [
      ingestBody({ url: 'https://x.example.com/date', scraped_at: '2026-02-30T00:00:00Z' }),
      'https://x.example.com/date',
      'schema',
    ],
    [ingestBody({ url: 'https://x.example.com/boat', boat: { wings: 2 } }), 'https://x.example.com/boat', 'schema'],
    [
      ingestBody({ url: 'https://x.example.com/attribute', attributes: { a: { b: 1 } } }),
      'https://x.example.com/attribute',
      'schema',
    ],
  ];
  const { status, body } = await ingest([good[0], ...bad.map(([record]) => record), good[1]]);
  expect(status).toBe(200);
  expect(body).toMatchObject({ created: 2, updated: 0, unchanged: 0, skipped: [] });
  expect(Object.keys(body.ids).sort()).toEqual(good.map(({ url }) => url).sort());
  expect(body.failed.map(({ url }: { url: string | null }) => url)).toEqual(bad.map(([, url]) => url));
  for (const [index, [, , reason]] of bad.entries()) expect(body.failed[index].reason).toContain(reason);
  expect(body.failed[12].details.errors).toEqual([
    { path: '/body/records/13/price/currency', message: expect.stringContaining('ISO 4217') },
  ]);
  expect(Object.prototype).not.toHaveProperty('polluted');
});

function deep(levels: number): unknown {
  return levels === 0 ? 1 : { a: deep(levels - 1) };
}

test('400 for no records, more than 500, and a body that is no batch; 413 beyond 10 MiB', async () => {
  expect((await ingest([])).status).toBe(400);
  expect((await ingest(Array.from({ length: 501 }, () => null))).status).toBe(400);
  expect((await app.as(scout).post('/api/ingest', { records: 'all' })).status).toBe(400);
  expect((await ingest([ingestBody({ raw_record: { html: 'x'.repeat(10_485_760) } })])).status).toBe(413);
  expect((await app.as().post('/api/ingest', { records: [] })).status).toBe(401);
});

test('the last of several records of one page stands, the others are skipped', async () => {
  const record = ingestBody({ price: { amount: 1, currency: 'EUR' } });
  const { body } = await ingest([record, { ...record, url: `${record.url}#2`, price: { amount: 2, currency: 'EUR' } }]);
  expect(body).toMatchObject({ created: 1, skipped: [{ url: record.url }] });
  const { rows } = await app.database.pool.query('select price_amount from listings where id = $1', [
    body.ids[`${record.url}#2`],
  ]);
  expect(rows).toEqual([{ price_amount: 2 }]);
});

test('the page of somebody else is a listing of its own, for members and administrators alike', async () => {
  const record = ingestBody();
  const { id, listing } = await ingestOne(record);
  const changed = { ...record, title: 'Somebody else wants this page' };
  for (const who of [await app.createUser(), await app.createUser({ role: 'admin' })]) {
    const other = await ingestOne(changed, who);
    expect(other).toMatchObject({ created: 1, listing: { seller_id: who.id, title: changed.title } });
    expect(other.id).not.toBe(id);
  }
  expect(await ingestOne(record)).toMatchObject({ unchanged: 1, id, listing: { version: listing.version } });
});

test('a deleted listing does not come back', async () => {
  const record = ingestBody();
  const { id } = await ingestOne(record);
  await app.database.pool.query(`update listings set status = 'deleted' where id = $1`, [id]);
  const { body } = await ingest([{ ...record, title: 'Risen from the dead' }]);
  expect(body).toMatchObject({
    created: 0,
    updated: 0,
    skipped: [{ url: record.url, reason: expect.stringContaining('deleted') }],
  });
});

test('a listing deleted for good does not come back, and a merged one is told by where it went', async () => {
  const [record, merged] = [ingestBody(), ingestBody()];
  const { id } = await ingestOne(record);
  const other = await ingestOne(merged);
  expect((await app.as(scout).delete(`/api/listings/${id}`)).status).toBe(200);
  await app.database.pool.query(`update listings set status = 'deleted', merged_into = $2 where id = $1`, [
    other.id,
    'lst_kept',
  ]);
  const { body } = await ingest([{ ...record, title: 'Risen from the dead' }, merged]);
  expect(body).toMatchObject({ created: 0, updated: 0, ids: {} });
  expect(body.skipped).toEqual([
    { url: merged.url, reason: 'The listing of this page was merged into lst_kept.' },
    { url: record.url, reason: 'The listing of this page was deleted.' },
  ]);
});

test('an update tells field by field what was there before, and a page that says the same writes nothing', async () => {
  const record = ingestBody({ attributes: { brand: 'Nimbus', hull: 'white' }, tags: ['one'] });
  const { id } = await ingestOne(record);
  await ingestOne({ ...record, title: 'Another title of it', attributes: { brand: 'Nimbus', hull: 'blue' } });
  const [, updated] = await eventsOf(id);
  expect(updated.previous).toEqual({ title: record.title, attributes: { hull: 'white' } });
  const same = { ...record, title: '  Another  title of it ', attributes: { hull: 'blue', brand: 'Nimbus' } };
  expect(await ingestOne(same)).toMatchObject({ unchanged: 1, listing: { version: 2 } });
  expect(await eventsOf(id)).toHaveLength(2);
});

test('a page that says its thing is sold withdraws its listing, and brings it back when it is for sale again', async () => {
  const record = ingestBody({ raw_record: { availability: 'InStock' } });
  const { id } = await ingestOne(record);
  expect((await app.as(scout).post(`/api/listings/${id}/publish`)).status).toBe(200);
  const sold = await ingestOne({ ...record, raw_record: { availability: 'https://schema.org/OutOfStock' } });
  expect(sold).toMatchObject({ updated: 1, listing: { status: 'expired' } });
  expect(Math.abs(sold.listing.expires_at - Date.now())).toBeLessThan(60_000);
  expect(await sourceOf(id)).toMatchObject({ withdrawn_from: 'active', last_error: expect.stringContaining('sold') });
  const back = await ingestOne(record);
  expect(back).toMatchObject({ updated: 1, listing: { status: 'active' } });
  expect(back.listing.expires_at - Date.now()).toBeGreaterThan(29 * 86_400_000);
  expect(await sourceOf(id)).toMatchObject({ withdrawn_at: null, withdrawn_from: null, last_error: null });
  expect((await eventsOf(id)).map(({ type }) => type)).toEqual([
    'listing.created',
    'listing.published',
    'listing.expired',
    'listing.updated',
  ]);
  const fresh = ingestBody({ raw_record: { availability: 'SoldOut' } });
  expect((await ingest([fresh])).body).toMatchObject({ created: 0, skipped: [{ url: fresh.url }] });
});

describe('a page that only prints that its thing is sold', () => {
  const printed = { availability: 'OutOfStock', evidence: { availability: 'page' } };
  const read = (record: Json, raw: object) =>
    ingestOne({ ...record, raw_record: raw, scraped_at: new Date().toISOString() });

  test('withdraws its listing when a second visit finds the same, and is due for that at once', async () => {
    const record = ingestBody({ raw_record: { availability: 'InStock' } });
    const { id } = await ingestOne(record);
    await app.as(scout).post(`/api/listings/${id}/publish`);
    const visit = { ...record, raw_record: printed, scraped_at: new Date().toISOString() };
    expect(await ingestOne(visit)).toMatchObject({ unchanged: 1, listing: { status: 'active' } });
    expect(await sourceOf(id)).toMatchObject({
      gone_claimed_at: new Date(visit.scraped_at),
      last_error: expect.stringContaining('second visit'),
    });
    expect((await sourceOf(id)).due_at.getTime()).toBeLessThanOrEqual(Date.now());

    expect(await ingestOne(visit), 'the same visit again').toMatchObject({ listing: { status: 'active' } });
    expect(await read(record, printed)).toMatchObject({ updated: 1, listing: { status: 'expired' } });
    expect(await sourceOf(id)).toMatchObject({ gone_claimed_at: null, withdrawn_from: 'active' });
    expect(await read(record, { availability: 'InStock' })).toMatchObject({ listing: { status: 'active' } });
  });

  test('keeps its listing when the second visit finds it for sale', async () => {
    const record = ingestBody();
    const { id } = await ingestOne(record);
    await app.as(scout).post(`/api/listings/${id}/publish`);
    for (const raw of [printed, {}, printed]) await read(record, raw);
    expect((await app.as(scout).get(`/api/listings/${id}`)).body.status).toBe('active');
    expect((await sourceOf(id)).gone_claimed_at).not.toBeNull();
  });

  test('withdraws its listing at once when its markup says so next, and never when its markup says the contrary', async () => {
    const record = ingestBody();
    const { id } = await ingestOne(record);
    await app.as(scout).post(`/api/listings/${id}/publish`);
    const contradicted = { availability: 'OutOfStock', evidence: { availability: 'contradicted' } };
    for (const raw of [contradicted, contradicted, printed])
      expect((await read(record, raw)).listing.status).toBe('active');
    const proven = { availability: 'SoldOut', evidence: { availability: 'jsonld' } };
    expect((await read(record, proven)).listing.status).toBe('expired');
  });
});

test('20 parallel batches with the same 30 pages, in different orders, store each page once', async () => {
  const records = Array.from({ length: 30 }, () => ingestBody());
  const batches = Array.from({ length: 20 }, (_, index) => [...records.slice(index), ...records.slice(0, index)]);
  const replies = await Promise.all(batches.map((batch) => ingest(batch)));
  expect(replies.map(({ status }) => status)).toEqual(batches.map(() => 200));
  const count = (key: string) => replies.reduce((sum, { body }) => sum + body[key], 0);
  expect([count('created'), count('updated'), count('unchanged')]).toEqual([30, 0, 570]);
  for (const { body } of replies) expect(body.ids).toEqual(replies[0]!.body.ids);
  const { rows } = await app.database.pool.query(
    `select count(*)::int as listings, count(distinct o.normalized_url)::int as pages from listings l left join listing_sources o on o.listing_id = l.id
     where l.title = any($1)`,
    [records.map(({ title }) => title)],
  );
  expect(rows).toEqual([{ listings: 30, pages: 30 }]);
});

test('parallel updates of one page end with one of them, and the history has no gap', async () => {
  const record = ingestBody({ price: { amount: 100, currency: 'EUR' } });
  const { id } = await ingestOne(record);
  const prices = Array.from({ length: 12 }, (_, index) => 101 + index);
  const replies = await Promise.all(
    prices.map((amount) => ingest([{ ...record, price: { amount, currency: 'EUR' } }])),
  );
  expect(replies.map(({ body }) => body.updated)).toEqual(prices.map(() => 1));
  const { rows } = await app.database.pool.query('select price_amount, boat, version from listings where id = $1', [
    id,
  ]);
  const seen = [...rows[0].boat.price_history.map(({ amount }: { amount: number }) => amount), rows[0].price_amount];
  expect(seen.sort((a: number, b: number) => a - b)).toEqual([100, ...prices]);
  expect(rows[0].version).toBe(13);
});

test('a value that the database refuses fails its own record alone', async () => {
  await app.database.pool.query(`alter table listings add constraint no_seven check (title not like '%refused%')`);
  const records = Array.from({ length: 9 }, (_, index) =>
    ingestBody(index === 6 ? { title: 'This title is refused' } : {}),
  );
  const { status, body } = await ingest(records);
  await app.database.pool.query('alter table listings drop constraint no_seven');
  expect({ status, created: body.created }).toEqual({ status: 200, created: 8 });
  expect(body.failed).toEqual([{ url: records[6]?.url, reason: expect.stringContaining('cannot be stored') }]);
});

test('429 beyond 1,000 created or updated records a day, unchanged ones are free, admins exempt', async () => {
  const limited = await startApp({ env: { RATE_LIMIT_MULTIPLIER: '1' } });
  try {
    const client = limited.as(await limited.createUser());
    const batch = (size: number) => Array.from({ length: size }, () => ingestBody());
    const first = batch(500);
    expect((await client.post('/api/ingest', { records: first })).body).toMatchObject({ created: 500 });
    expect((await client.post('/api/ingest', { records: first })).body).toMatchObject({ unchanged: 500 });
    const replies = await Promise.all([1, 2, 3].map(() => client.post('/api/ingest', { records: batch(250) })));
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 200, 429]);
    const { rows } = await limited.database.pool.query('select count(*)::int as n from listings');
    expect(rows).toEqual([{ n: 1_000 }]);
    expect((await client.post('/api/ingest', { records: first })).body).toMatchObject({ unchanged: 500 });
    const admin = limited.as(await limited.createUser({ role: 'admin' }));
    for (let round = 0; round < 3; round += 1) {
      expect((await admin.post('/api/ingest', { records: batch(500) })).body).toMatchObject({ created: 500 });
    }
  } finally {
    await limited.close();
  }
});
