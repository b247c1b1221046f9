import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { inTransaction } from '../../db/client.ts';
import { dedupListing } from '../../workers/dedup-listing.ts';
import { startApp, type TestApp, type TestUser } from '../support/app.ts';
import { forgetDuplicates, readGroups } from '../support/dedup-setup.ts';
import { boat } from '../support/twin-boats.ts';
import { startWorkers, type TestWorkers } from '../support/workers.ts';

let app: TestApp;
let workers: TestWorkers;
let sellers: readonly [TestUser, TestUser];
beforeAll(async () => {
  app = await startApp();
  workers = await startWorkers(app);
  sellers = [await app.createUser(), await app.createUser()];
});
afterAll(async () => {
  await workers.close();
  await app.close();
});
beforeEach(async () => {
  await forgetDuplicates(app);
  await workers.readJournal();
  await app.database.pool.query(`delete from pgboss.job where name = 'dedup-listing'`);
});

const groups = () => readGroups(app);
const byText = (one: string, other: string) => (one < other ? -1 : 1);
const follow = async () => {
  await workers.readJournal();
  return workers.work('dedup-listing');
};
const publish = async (user: TestUser, index: number) => {
  const { title, description, attributes, price_amount: amount } = boat(index);
  const created = await app.as(user).post('/api/listings', {
    title,
    description,
    category_id: 'cruising',
    condition: 'good',
    attributes,
    price: { amount, currency: 'EUR', negotiable: false },
    location: { country: 'DE', city: 'Kiel', shipping: false },
  });
  expect(created.status, created.text).toBe(201);
  expect((await app.as(user).post(`/api/listings/${created.body.id}/publish`)).status).toBe(200);
  return created.body as { id: string };
};

test('a listing that is published, ingested or changed is compared with what is there', async () => {
  const one = await publish(sellers[0], 0);
  await follow();
  expect(await groups()).toEqual([]);
  const other = await publish(sellers[1], 0);
  await follow();
  expect((await groups()).map(({ members }) => members)).toEqual([[one.id, other.id].toSorted(byText)]);
  const { title, description, attributes } = boat(2);
  const record = {
    url: 'https://boats.example.com/343',
    title,
    description,
    category_id: 'cruising',
    price: { amount: 34_000, currency: 'EUR' },
    location: { country: 'DE', city: 'Kiel' },
    attributes,
  };
  await app.as(sellers[0]).post('/api/ingest', { records: [record] });
  const third = await publish(sellers[1], 3);
  await follow();
  expect(await groups()).toHaveLength(1);
  const changed = await app.as(sellers[1]).put(`/api/listings/${third.id}`, { title, description, attributes });
  expect(changed.status, changed.text).toBe(200);
  await follow();
  expect(await groups()).toHaveLength(2);
});

test('what is checked again, or twice at once, leaves the same', async () => {
  const pair = [await publish(sellers[0], 0), await publish(sellers[1], 0)];
  await follow();
  const before = await groups();
  expect(before).toHaveLength(1);
  const listing_ids = pair.map(({ id }) => id);
  await inTransaction(app.services.db, async (tx) => {
    for (let n = 0; n < 3; n += 1) await app.services.jobs.enqueue(tx, 'dedup-listing', { listing_ids });
  });
  const jobs = await workers.take('dedup-listing');
  const context = { signal: new AbortController().signal, log: workers.services.log, jobId: '', attempt: 0 };
  await Promise.all(jobs.map(({ data }) => dedupListing(workers.services, data, context)));
  expect(await groups()).toEqual(before);
});

test('one that is no longer offered is forgotten', async () => {
  const one = await publish(sellers[0], 0);
  await follow();
  expect((await app.as(sellers[0]).delete(`/api/listings/${one.id}`)).status).toBe(200);
  await follow();
  await publish(sellers[1], 0);
  await follow();
  expect(await groups()).toEqual([]);
  const { rows } = await app.database.pool.query('select from dedup_prints');
  expect(rows).toHaveLength(1);
});
