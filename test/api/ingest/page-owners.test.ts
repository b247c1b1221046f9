import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import PostalMime from 'postal-mime';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type Json, type TestApp, type TestUser } from '../../support/app.ts';
import { ingestBody } from '../../support/listing-bodies.ts';
import { startWorkers, type TestWorkers } from '../../support/workers.ts';

let app: TestApp;
let workers: TestWorkers;
let admin: TestUser;
let otherAdmin: TestUser;
let stranger: TestUser;
beforeAll(async () => {
  app = await startApp();
  workers = await startWorkers(app);
  admin = await app.createUser({ role: 'admin', email: 'admin@market.example' });
  otherAdmin = await app.createUser({ role: 'admin' });
  stranger = await app.createUser({ email: 'stranger@elsewhere.example', name: 'Stranger' });
});
afterAll(async () => {
  await workers.close();
  await app.close();
});

const query = async (text: string, values: unknown[] = []): Promise<Json[]> =>
  (await app.database.pool.query(text, values)).rows;
type Sent = Record<string, unknown> & { url: string };
const ingest = async (who: TestUser, ...records: Sent[]) => (await app.as(who).post('/api/ingest', { records })).body;
const idOf = async (who: TestUser, record: Sent): Promise<string> => {
  const { ids, skipped, failed } = await ingest(who, record);
  expect({ skipped, failed }).toEqual({ skipped: [], failed: [] });
  return ids[record.url];
};
const sellerOf = async (id: string) => (await query('select seller_id from listings where id = $1', [id]))[0].seller_id;

/** Who a buyer reaches who writes about a listing. */
async function mailedAbout(id: string): Promise<string | undefined> {
  await query(`delete from pgboss.job where name = 'send-email'`);
  const question = { name: 'Jonas Lind', email: 'jonas@buyers.example', message: `Is ${id} still for sale?` };
  expect((await app.as().post(`/api/listings/${id}/contact`, question)).status).toBe(201);
  await workers.work('send-email');
  const folder = join(app.dataDir, 'outbox');
  const mails = await Promise.all(
    readdirSync(folder).map((name) => PostalMime.parse(readFileSync(join(folder, name)))),
  );
  return mails.find(({ text }) => text?.includes(question.message))?.to?.[0]?.address;
}

describe.each(['the stranger first', 'the administrator first'])('%s', (order) => {
  test("one page is a listing of each: nobody's changes its seller or its words, and buyers reach the seller of the one they read", async () => {
    const record = ingestBody();
    const theirs = { ...record, title: 'As the stranger tells it', price: { amount: 1, currency: 'EUR' } };
    const ours = { ...record, title: 'As the portal tells it' };
    const turns: [TestUser, Sent][] = [
      [stranger, theirs],
      [admin, ours],
    ];
    if (order === 'the administrator first') turns.reverse();
    const ids = new Map<TestUser, string>();
    for (const [who, sent] of turns) ids.set(who, await idOf(who, sent));
    for (const [who, sent] of turns) {
      expect(await ingest(who, sent)).toMatchObject({ unchanged: 1, ids: { [sent.url]: ids.get(who) } });
    }
    expect(new Set(ids.values()).size).toBe(2);
    for (const [who, sent] of turns) {
      const id = ids.get(who) ?? '';
      const published = await app.as(who).post(`/api/listings/${id}/publish`);
      expect(published).toMatchObject({ status: 200, body: { title: sent['title'], status: 'active' } });
      expect(await sellerOf(id)).toBe(who.id);
      expect(await mailedAbout(id)).toBe(who.email);
    }
  });
});

test('administrators are one owner, the marketplace: each updates what another one found, and the seller stays', async () => {
  const record = ingestBody();
  const id = await idOf(admin, record);
  expect(await ingest(otherAdmin, { ...record, title: 'Read again by somebody else' })).toMatchObject({
    updated: 1,
    created: 0,
    ids: { [record.url]: id },
  });
  expect(await sellerOf(id)).toBe(admin.id);
  expect(await query('select owner from listing_sources where listing_id = $1', [id])).toEqual([
    { owner: 'marketplace' },
  ]);
});

test("a deleted listing of a member keeps nobody but that member from the page, and the marketplace's nobody but the marketplace", async () => {
  for (const mode of ['deleted', 'gone for good']) {
    const record = ingestBody();
    const theirs = await idOf(stranger, record);
    const remove = async (who: TestUser, id: string) => {
      if (mode === 'deleted') await query(`update listings set status = 'deleted' where id = $1`, [id]);
      else expect((await app.as(who).delete(`/api/listings/${id}`)).status).toBe(200);
    };
    await remove(stranger, theirs);
    const again = { ...record, title: 'Risen from the dead' };
    expect(await ingest(stranger, again)).toMatchObject({ created: 0, skipped: [{ url: record.url }] });
    const ours = await idOf(admin, again);
    await remove(admin, ours);
    expect(await ingest(otherAdmin, again)).toMatchObject({ created: 0, skipped: [{ url: record.url }] });
    expect(await ingest(await app.createUser(), again)).toMatchObject({ created: 1 });
  }
});

test("a refresh hands out each owner's own listing of a page, and an update of one leaves the other as it is", async () => {
  const record = ingestBody({ scraped_at: '2020-01-01T00:00:00Z' });
  const [theirs, ours] = [await idOf(stranger, record), await idOf(admin, record)];
  const due = await app.as(stranger).get('/api/ingest/refresh/next?limit=50');
  const found: string[] = due.body.results.map(({ listing_id }: Json) => listing_id);
  expect(found).toContain(theirs);
  expect(found).not.toContain(ours);
  await ingest(admin, { ...record, price: { amount: 5, currency: 'EUR' } });
  const prices = await query('select id, price_amount from listings where id = any($1)', [[theirs, ours]]);
  expect(new Map(prices.map(({ id, price_amount }) => [id, price_amount]))).toEqual(
    new Map([
      [theirs, 98_000],
      [ours, 5],
    ]),
  );
});

test('an administrator is shown who else claims a page; nobody else is', async () => {
  const record = ingestBody();
  const [theirs, ours] = [await idOf(stranger, record), await idOf(admin, record)];
  for (const [who, id] of [
    [stranger, theirs],
    [admin, ours],
  ] as const)
    await app.as(who).post(`/api/listings/${id}/publish`);
  const claims = [
    {
      by: 'member',
      listing_id: theirs,
      status: 'active',
      seller: { id: stranger.id, name: 'Stranger' },
      first_seen_at: expect.any(String),
    },
    {
      by: 'marketplace',
      listing_id: ours,
      status: 'active',
      seller: { id: admin.id, name: expect.any(String) },
      first_seen_at: expect.any(String),
    },
  ];
  for (const id of [theirs, ours])
    expect((await app.as(admin).get(`/api/listings/${id}`)).body.meta.claimed_by).toEqual(claims);
  for (const who of [stranger, await app.createUser(), undefined])
    expect((await app.as(who).get(`/api/listings/${theirs}`)).body.meta).not.toHaveProperty('claimed_by');
  const { body } = await app.as(admin).get('/api/admin/nautical/listings?limit=100');
  const listed = body.results.find(({ id }: Json) => id === theirs);
  expect(listed.meta.claimed_by).toEqual(claims);
});
