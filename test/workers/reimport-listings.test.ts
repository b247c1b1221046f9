import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startApp, type Client, type Json, type TestApp } from '../support/app.ts';
import { ingestBody } from '../support/listing-bodies.ts';
import { startWorkers, type TestWorkers } from '../support/workers.ts';

let app: TestApp;
let workers: TestWorkers;
let admin: Client;
beforeAll(async () => {
  app = await startApp();
  workers = await startWorkers(app);
  admin = app.as(await app.createUser({ role: 'admin' }));
});
afterEach(() => query('delete from listings'));
afterAll(async () => {
  await workers.close();
  await app.close();
});

const query = async (text: string, values: unknown[] = []) => (await app.database.pool.query(text, values)).rows;
const raw = { title: 'Nimbus 305 Coupé', price: '98.000 €', properties: { Baujahr: '2017', Länge: '9,10 m' } };

async function ingest(count: number, fields: Json = {}): Promise<string[]> {
  const records = Array.from({ length: count }, () =>
    ingestBody({ raw_record: raw, price: { amount: 98, currency: 'EUR' }, ...fields }),
  );
  const { body } = await admin.post('/api/ingest', { records });
  return records.map(({ url }) => body.ids[url]);
}
const start = (body: Json = {}) => admin.post('/api/admin/reimports', body);
const changesOf = async (id: string, search = '') =>
  (await admin.get(`/api/admin/reimports/${id}/changes?limit=100${search}`)).body;
const pricesOf = async (ids: string[]) =>
  (await query('select price_amount from listings where id = any($1)', [ids])).map((row) => row['price_amount']);

test('one that only looks tells every field before and after; the next writes the same; a third finds nothing', async () => {
  const ids = (await ingest(3)).toSorted();
  const [odd] = await ingest(1, { raw_record: { page: 4711 } });
  const { status, body } = await start({ dry_run: true });
  expect([status, body.status]).toEqual([202, 'queued']);
  expect((await start()).status).toBe(409);
  await workers.work('reimport-listings');
  const [run] = (await admin.get('/api/admin/reimports')).body.results;
  expect(run).toMatchObject({ id: body.run_id, job_id: body.job_id, dry_run: true, site: null, status: 'succeeded' });
  expect(run).toMatchObject({ total: 4, done: 4, changed: 3, skipped: 1, failed: 0 });
  expect(run.fields).toContainEqual({ field: 'price', listings: 3 });
  expect(run.errors).toMatchObject([{ message: expect.stringContaining(`${odd}: The raw record holds no title`) }]);
  const looked = await changesOf(body.run_id, '&field=price');
  expect(looked.results.map((each: Json) => each.listing_id)).toEqual(ids);
  const [{ previous, next }] = looked.results;
  expect([previous.price, next.price]).toEqual([
    { amount: 98, currency: 'EUR' },
    { amount: 98_000, currency: 'EUR' },
  ]);
  expect(Object.keys(next)).toEqual(Object.keys(previous));
  expect(next.title).toBe(raw.title);
  expect(await pricesOf(ids)).toEqual([98, 98, 98]);
  expect((await changesOf(body.run_id, '&field=nothing')).results).toEqual([]);

  const second = (await start()).body.run_id;
  await workers.work('reimport-listings');
  expect(await pricesOf(ids)).toEqual([98_000, 98_000, 98_000]);
  const differences = ({ results }: Json) =>
    (results as Json[]).map(({ listing_id, previous, next }) => ({ listing_id, previous, next }));
  expect(differences(await changesOf(second))).toEqual(differences(await changesOf(body.run_id)));
  const told = await query(
    `select count(*)::int as n from events where type = 'listing.updated' and subject = any($1)`,
    [ids],
  );
  expect(told).toEqual([{ n: 3 }]);

  const third = (await start()).body.run_id;
  await workers.work('reimport-listings');
  expect((await changesOf(third)).results).toEqual([]);
  expect(await query('select type from events where subject = any($1) order by seq', [[second, third]])).toEqual([
    { type: 'run.completed' },
    { type: 'run.completed' },
  ]);
});

test('one site alone is gone through when it is named', async () => {
  const [here = ''] = await ingest(1, { site: 'boats.example.org' });
  const [there = ''] = await ingest(1);
  await start({ site: 'Boats.Example.org' });
  await workers.work('reimport-listings');
  expect([...(await pricesOf([here])), ...(await pricesOf([there]))]).toEqual([98_000, 98]);
});

test('a run that was killed halfway goes on from there and counts nothing twice; a cancelled one writes nothing more', async () => {
  const ids = (await ingest(3)).toSorted();
  const { body } = await start();
  // The first listing was done and counted, the second written but not passed yet.
  await query(`update listings set price_amount = 98000, title = $2 where id = any($1)`, [ids.slice(0, 2), raw.title]);
  await query(
    `insert into reimport_changes (run_id, listing_id, fields, previous, next)
     select $1, id, '{price}', '{"price": 1}', '{"price": 2}' from unnest($2::text[]) as id`,
    [body.run_id, ids.slice(0, 2)],
  );
  await query(
    `update runs set status = 'running', cursor = jsonb_build_object('after', $2::text),
       counters = '{"done": 1, "changed": 2, "skipped": 0, "failed": 0, "field:price": 2}' where id = $1`,
    [body.run_id, ids[0]],
  );
  await workers.work('reimport-listings');
  const [run] = (await admin.get('/api/admin/reimports')).body.results;
  expect(run).toMatchObject({ status: 'succeeded', done: 3, changed: 3 });
  expect(run.fields).toContainEqual({ field: 'price', listings: 3 });

  await query(`update listings set price_amount = 98 where id = any($1)`, [ids]);
  const next = (await start()).body;
  const [job] = await workers.take('reimport-listings');
  expect(job?.data).toEqual({ run_id: next.run_id });
  expect((await admin.post(`/api/admin/jobs/${next.job_id}/cancel`)).status).toBe(200);
  expect((await admin.get('/api/admin/reimports')).body.results[0]).toMatchObject({ status: 'cancelled', done: 0 });
  expect(await workers.work('reimport-listings')).toEqual([]);
  expect(await pricesOf(ids)).toEqual([98, 98, 98]);
});
