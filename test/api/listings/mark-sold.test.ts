import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import PostalMime from 'postal-mime';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { createListing } from '../../support/openapi-cases-things.ts';
import { startWorkers, type TestWorkers } from '../../support/workers.ts';

let app: TestApp;
let workers: TestWorkers;
let [owner, buyer] = [] as unknown as [TestUser, TestUser];
beforeAll(async () => {
  app = await startApp();
  workers = await startWorkers(app);
  [owner, buyer] = [await app.createUser(), await app.createUser()];
});
afterAll(async () => {
  await workers.close();
  await app.close();
});

const active = () => createListing(app.services, owner, 'active');
const sell = (id: string, body?: unknown) => app.as(owner).post(`/api/listings/${id}/mark-sold`, body);
const saleOf = async (id: string) =>
  (
    await app.database.pool.query('select sold_at, sale_price, sale_currency, buyer_id from listings where id = $1', [
      id,
    ])
  ).rows[0];
const mailsOf = async (id: string) =>
  (
    await app.database.pool.query(
      `select data from pgboss.job where name = 'send-email' and data->>'message_id' like $1`,
      [`listing-sold.${id}.%`],
    )
  ).rows;
const outbox = () => {
  const folder = join(app.dataDir, 'outbox');
  return readdirSync(folder).map((name) => readFileSync(join(folder, name)));
};

const nothingTold = { sold_at: expect.any(Date), sale_price: null, sale_currency: null, buyer_id: null };

test.each([
  ['no body', undefined],
  ['an empty object', {}],
])('200 with %s, and nothing told of the sale', async (_, body) => {
  const { id } = await active();
  const { status, body: listing } = await sell(id, body);
  expect([status, listing.status]).toEqual([200, 'sold']);
  expect(await saleOf(id)).toEqual(nothingTold);
});

test('200 with an empty body that says it is JSON', async () => {
  const { id } = await active();
  const headers = { 'Content-Type': 'application/json' };
  expect((await app.as(owner).post(`/api/listings/${id}/mark-sold`, undefined, { headers })).status).toBe(200);
});

test('the price it went for, its currency and the buyer are kept, and shown to nobody', async () => {
  const { id } = await active();
  const { text } = await sell(id, { sale_price: 9_876.5, currency: 'JPY', buyer_id: buyer.id });
  expect(await saleOf(id)).toEqual({
    sold_at: expect.any(Date),
    sale_price: 9_876.5,
    sale_currency: 'JPY',
    buyer_id: buyer.id,
  });
  expect(text + (await app.as().get(`/api/listings/${id}`)).text).not.toMatch(/9876|JPY|sale_price|buyer/);
  expect(text).not.toContain(buyer.id);
});

test("a price without a currency is in the listing's", async () => {
  const { id } = await active();
  await sell(id, { sale_price: 0 });
  expect(await saleOf(id)).toMatchObject({ sale_price: 0, sale_currency: 'EUR' });
});

test.each([
  ['a currency that is not in use', { sale_price: 1, currency: 'XXX' }, '/body/currency'],
  ['a currency without a price', { currency: 'EUR' }, '/body/currency'],
  ['a buyer who does not exist', { buyer_id: 'usr_01K6Q8Z3V4H5J6K7M8N9P0Q1R2' }, '/body/buyer_id'],
  ['a buyer that is no id', { buyer_id: 'Anna Petersen' }, '/body/buyer_id'],
  ['a negative price', { sale_price: -1 }, '/body/sale_price'],
  ['an unknown field', { price: 1 }, '/body/price'],
])('400 for %s, and the listing stays on the market', async (_, body, path) => {
  const { id } = await active();
  const { status, body: answer } = await sell(id, body);
  expect([status, answer.error.code, answer.error.details.errors[0].path]).toEqual([400, 'validation_error', path]);
  expect((await app.as().get(`/api/listings/${id}`)).body.status).toBe('active');
  expect(await mailsOf(id)).toEqual([]);
});

test('400 for the seller as the buyer', async () => {
  const { id } = await active();
  expect((await sell(id, { buyer_id: owner.id })).status).toBe(400);
});

test('20 parallel calls: one 200, the others 409, one event, one mail', async () => {
  const { id } = await active();
  const twin = await app.twin();
  try {
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        (index % 2 ? app : twin).as(owner).post(`/api/listings/${id}/mark-sold`, { sale_price: index }),
      ),
    );
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      200,
      ...Array.from({ length: 19 }, () => 409),
    ]);
    expect((await saleOf(id)).sale_price).toBe(replies.findIndex(({ status }) => status === 200));
    const { rows } = await app.database.pool.query(
      `select 1 from events where subject = $1 and type = 'listing.sold'`,
      [id],
    );
    expect(rows).toHaveLength(1);
    expect(await mailsOf(id)).toHaveLength(1);
  } finally {
    await twin.close();
  }
});

test('the mail names the listing and its page, comes once for each sale, and no address travels in the job', async () => {
  const { id, slug } = await active();
  await workers.work('send-email');
  const before = outbox().length;
  await sell(id);
  await app.as(owner).patch(`/api/listings/${id}`, { status: 'active' });
  await app.as(owner).patch(`/api/listings/${id}`, { status: 'sold' });
  const jobs = await mailsOf(id);
  expect(jobs).toHaveLength(2);
  expect(JSON.stringify(jobs)).not.toContain(owner.email);
  expect(await workers.work('send-email')).toMatchObject([{ status: 'completed' }, { status: 'completed' }]);
  expect(outbox()).toHaveLength(before + 2);
  const mail = await PostalMime.parse(outbox().at(-1) ?? '');
  expect(mail).toMatchObject({ to: [{ address: owner.email }], subject: expect.stringMatching(/^Sold: .*lst_/) });
  for (const text of [mail.text, mail.html]) expect(text).toContain(`${app.url}/listings/${slug}`);
});

test('who wants no such mail gets none', async () => {
  const quiet = await app.createUser();
  await app.database.pool.query('update users set email_notifications = false where id = $1', [quiet.id]);
  const { id } = await createListing(app.services, quiet, 'active');
  await workers.work('send-email');
  const before = outbox().length;
  expect((await app.as(quiet).post(`/api/listings/${id}/mark-sold`)).status).toBe(200);
  expect(await workers.work('send-email')).toMatchObject([{ output: { skipped: expect.any(String) } }]);
  expect(outbox()).toHaveLength(before);
});

test('nobody is mailed in the general profile', async () => {
  const general = await startApp({ profile: 'general' });
  try {
    const seller = await general.createUser();
    const { id } = await createListing(general.services, seller, 'active');
    expect((await general.as(seller).post(`/api/listings/${id}/mark-sold`)).status).toBe(200);
    expect((await general.database.pool.query(`select 1 from pgboss.job where name = 'send-email'`)).rows).toEqual([]);
  } finally {
    await general.close();
  }
});

test('a sale that is taken back leaves nothing behind, and the listing has time again', async () => {
  const { id } = await active();
  await sell(id, { sale_price: 5, buyer_id: buyer.id });
  await app.database.pool.query(`update listings set expires_at = now() - interval '1 day' where id = $1`, [id]);
  const { body } = await app.as(owner).patch(`/api/listings/${id}`, { status: 'active' });
  expect(await saleOf(id)).toEqual({ sold_at: null, sale_price: null, sale_currency: null, buyer_id: null });
  const days = (Date.parse(body.expires_at) - Date.now()) / 86_400_000;
  expect(days).toBeGreaterThan(29.9);
});

test('pausing and resuming keeps the day of expiry', async () => {
  const { id } = await active();
  const client = app.as(owner);
  const { body: paused } = await client.patch(`/api/listings/${id}`, { status: 'paused' });
  const { body: resumed } = await client.patch(`/api/listings/${id}`, { status: 'active' });
  expect(resumed.expires_at).toBe(paused.expires_at);
});

test('400 for a status that an owner cannot choose', async () => {
  const { id } = await active();
  for (const body of [
    { status: 'flagged' },
    { status: 'draft' },
    { status: 'deleted' },
    { status: 'expired' },
    {},
    { status: 'sold', x: 1 },
  ]) {
    expect((await app.as(owner).patch(`/api/listings/${id}`, body)).status).toBe(400);
  }
});
