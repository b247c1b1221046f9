import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { snapshotRates } from '../../../shared/rates/exchange-rates.ts';
import { startApp, type Client, type TestApp } from '../../support/app.ts';
import { waitFor } from '../../support/waiting.ts';

let app: TestApp;
let admin: Client;
let adminId: string;
beforeAll(async () => {
  app = await startApp();
  const user = await app.createUser({ role: 'admin' });
  adminId = user.id;
  admin = app.as(user);
});
afterAll(async () => {
  await app.close();
});
afterEach(async () => {
  await app.database.pool.query('delete from exchange_rates');
  app.services.rates.forget();
});

const table = (rates: object, date = '2026-11-20') => ({ base: 'EUR', date, rates });

test('without a table of its own, the dated snapshot that ships as data is in force', async () => {
  const { status, body } = await admin.get('/api/admin/rates');
  expect({ status, body }).toEqual({
    status: 200,
    body: {
      base: 'EUR',
      date: snapshotRates.date,
      rates: snapshotRates.rates,
      source: 'snapshot',
      set_by: null,
      set_at: null,
      feed: { configured: false, succeeded_at: null, failing_since: null, error: null },
    },
  });
});

test('PUT replaces the whole table, and tells who has set it', async () => {
  await admin.put('/api/admin/rates', table({ GBP: 0.9, SEK: 11 }, '2026-11-19'));
  const { status, body } = await admin.put('/api/admin/rates', table({ USD: 1.1 }));
  expect(status).toBe(200);
  expect(body).toMatchObject({ date: '2026-11-20', source: 'admin', set_by: adminId });
  expect(body.rates).toEqual({ USD: 1.1 });
  expect((await admin.get('/api/admin/rates')).body).toEqual(body);
});

test('every table that was set stays to be looked up', async () => {
  await admin.put('/api/admin/rates', table({ USD: 1.1 }));
  await admin.put('/api/admin/rates', table({ USD: 1.2 }));
  const { rows } = await app.database.pool.query('select rates, source, set_by from exchange_rates order by id');
  expect(rows).toEqual([
    { rates: { USD: 1.1 }, source: 'admin', set_by: adminId },
    { rates: { USD: 1.2 }, source: 'admin', set_by: adminId },
  ]);
});

test('a table is in force in every API process within five seconds', async () => {
  const twin = await app.twin();
  expect((await twin.services.rates.read()).source).toBe('snapshot');
  await admin.put('/api/admin/rates', table({ USD: 1.25 }));
  expect((await app.services.rates.read()).rates).toEqual({ USD: 1.25 });
  await waitFor(async () => expect((await twin.services.rates.read()).rates).toEqual({ USD: 1.25 }), 5_000);
  await twin.close();
});

test.each([
  ['another base', { ...table({ EUR: 1 }), base: 'USD' }, '/body/base'],
  ['a date that is none', table({ USD: 1.1 }, '20 November'), '/body/date'],
  ['no rates', table({}), '/body/rates'],
  ['a rate of 0', table({ USD: 0 }), '/body/rates/USD'],
  ['a rate below 0', table({ USD: -1 }), '/body/rates/USD'],
  ['a rate that is no number', table({ USD: '1.1' }), '/body/rates/USD'],
  ['a currency that there is not', table({ USD: 1.1, XQQ: 2 }), '/body/rates/XQQ'],
  ['another worth of the base', table({ EUR: 2, USD: 1.1 }), '/body/rates/EUR'],
])('400 for %s, and the table stays', async (_what, body, path) => {
  const reply = await admin.put('/api/admin/rates', body);
  expect(reply.status).toBe(400);
  expect(reply.body.error.details.errors[0].path).toBe(path);
  expect((await admin.get('/api/admin/rates')).body.source).toBe('snapshot');
});

test('only an administrator reads and sets them', async () => {
  const user = app.as(await app.createUser());
  expect((await user.get('/api/admin/rates')).status).toBe(403);
  expect((await user.put('/api/admin/rates', table({ USD: 1.1 }))).status).toBe(403);
  expect((await app.as().put('/api/admin/rates', table({ USD: 1.1 }))).status).toBe(401);
});
