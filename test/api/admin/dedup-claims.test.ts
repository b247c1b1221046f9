import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type Json, type TestApp, type TestUser } from '../../support/app.ts';
import { ingestBody } from '../../support/listing-bodies.ts';
import { startWorkers, type TestWorkers } from '../../support/workers.ts';

let app: TestApp;
let workers: TestWorkers;
let admin: TestUser;
beforeAll(async () => {
  app = await startApp();
  workers = await startWorkers(app);
  admin = await app.createUser({ role: 'admin' });
});
afterAll(async () => {
  await workers.close();
  await app.close();
});

/** Two owners ingest a boat with a hull number each, from these addresses, and publish it. */
async function ingestTwice(urls: readonly [string, string], hull_id: string): Promise<string[]> {
  const member = await app.createUser();
  const ids: string[] = [];
  for (const [index, who] of [member, admin].entries()) {
    const url = urls[index]!;
    const { body } = await app.as(who).post('/api/ingest', { records: [ingestBody({ url, boat: { hull_id } })] });
    ids.push(body.ids[url]);
    expect((await app.as(who).post(`/api/listings/${ids[index]}/publish`)).status).toBe(200);
  }
  return ids;
}
const statusOf = async (id: string) =>
  (await app.database.pool.query('select status from listings where id = $1', [id])).rows[0].status;

test('what two owners make of one page is never merged unseen: an administrator sees who claims it, and decides', async () => {
  const [page, one, other] = ['https://p.example/1', 'https://q.example/1', 'https://r.example/1'];
  const contested = await ingestTwice([page, page], 'DE-ABC12345D606');
  const twins = await ingestTwice([one, other], 'DE-XYZ12345D606');
  const started = await app.as(admin).post('/api/admin/dedup/job/start', { auto_merge: true });
  expect(started.status).toBe(202);
  while ((await workers.work('dedup-scan')).length > 0);
  expect(new Set(await Promise.all(twins.map(statusOf)))).toEqual(new Set(['active', 'deleted']));
  expect(await Promise.all(contested.map(statusOf))).toEqual(['active', 'active']);

  const { body } = await app.as(admin).get('/api/admin/nautical/dedup?status=detected');
  expect(body.results).toHaveLength(1);
  const [group] = body.results;
  for (const { listing } of group.members)
    expect(listing.meta.claimed_by.map(({ by, listing_id }: Json) => [by, listing_id])).toEqual([
      ['member', contested[0]],
      ['marketplace', contested[1]],
    ]);
  const merged = await app
    .as(admin)
    .post(`/api/admin/nautical/dedup/${group.id}/merge`, { canonical_id: contested[1] });
  expect(merged).toMatchObject({ status: 200, body: { status: 'merged', canonical_id: contested[1] } });
});
