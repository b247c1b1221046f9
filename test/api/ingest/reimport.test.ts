import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type Json, type TestApp, type TestUser } from '../../support/app.ts';
import { ingestBody } from '../../support/listing-bodies.ts';

let app: TestApp;
let scout: TestUser;
beforeAll(async () => {
  app = await startApp();
  scout = await app.createUser();
});
afterAll(() => app.close());

async function ingest(record: Json): Promise<string> {
  const { body } = await app.as(scout).post('/api/ingest', { records: [record] });
  return body.ids[record['url']];
}
const reimport = (body: Json = {}, who: TestUser = scout) => app.as(who).post('/api/ingest/reimport', body);
const listingOf = async (id: string) =>
  (await app.database.pool.query('select * from listings where id = $1', [id])).rows[0];
const raw = { title: 'Nimbus 305 Coupé', price: '98.000 €', properties: { Baujahr: '2017', Länge: '9,10 m' } };

test('what today’s rules read differently is written and told field by field; what the raw record does not tell stays', async () => {
  const record = ingestBody({ raw_record: raw, price: { amount: 98, currency: 'EUR' } });
  const id = await ingest(record);
  const before = await listingOf(id);
  const dry = await reimport({ ids: [id], dry_run: true });
  expect(dry).toMatchObject({ status: 200, body: { reimported: 1, changed: 1, skipped: [], errors: [] } });
  expect(dry.body.changes[0]).toMatchObject({ id, previous: { price: { amount: 98, currency: 'EUR' } } });
  expect(await listingOf(id)).toEqual(before);

  expect((await reimport({ ids: [before.slug] })).body.changes).toEqual(dry.body.changes);
  expect(await listingOf(id)).toMatchObject({
    price_amount: 98_000,
    title: 'Nimbus 305 Coupé',
    description: before.description,
    city: before.city,
    lat: before.lat,
    status: 'draft',
  });
  const { rows } = await app.database.pool.query(
    `select type, previous from events where subject = $1 order by seq desc limit 1`,
    [id],
  );
  expect(rows).toEqual([{ type: 'listing.updated', previous: dry.body.changes[0].previous }]);
  expect((await reimport({ ids: [id] })).body).toMatchObject({ reimported: 1, changed: 0, changes: [] });
});

test('a record without raw data is its own raw record; a listing made before places were looked up gets its coordinates', async () => {
  const id = await ingest(ingestBody({ location: { country: 'DE', city: 'Hamburg' } }));
  await app.database.pool.query('update listings set lat = null, lng = null, geocoded = false where id = $1', [id]);
  const { body } = await reimport({ ids: [id] });
  expect(body.changes).toEqual([{ id, previous: { location: { lat: null, lng: null } } }]);
  expect(await listingOf(id)).toMatchObject({ lat: expect.closeTo(53.55, 0), geocoded: true });
});

test('each listing that cannot be mapped is told with its reason and stops none of the others', async () => {
  const [good, odd, deleted] = [
    await ingest(ingestBody({ raw_record: raw })),
    await ingest(ingestBody({ raw_record: { page: 4711 } })),
    await ingest(ingestBody({ raw_record: raw })),
  ];
  await app.database.pool.query(`update listings set status = 'deleted' where id = $1`, [deleted]);
  const { body } = await reimport({ ids: [good, odd, deleted, 'nothing'] });
  expect(body).toMatchObject({
    reimported: 1,
    skipped: [
      { id: odd, reason: expect.stringContaining('no title') },
      { id: deleted, reason: expect.stringContaining('deleted') },
    ],
    errors: [{ id: 'nothing', error: expect.any(String) }],
  });
  const stranger = await app.createUser();
  expect((await reimport({ ids: [good] }, stranger)).body.errors).toHaveLength(1);
  expect((await reimport({}, stranger)).body).toMatchObject({ reimported: 0, errors: [] });
  expect((await reimport({ ids: Array.from({ length: 1_001 }, () => good) })).status).toBe(400);
  const everybody = await reimport({}, await app.createUser({ role: 'admin' }));
  expect(everybody.body.reimported).toBeGreaterThanOrEqual(3);
});
