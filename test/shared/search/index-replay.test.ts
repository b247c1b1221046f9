import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { listingBody } from '../../support/listing-bodies.ts';
import { startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { startTypesenseServer, type TypesenseServer } from '../../support/typesense-server.ts';
import { waitFor } from '../../support/waiting.ts';
import { startWorkers, type TestWorkers } from '../../support/workers.ts';
import { storeListings } from '../../api/listings/search-fixture.ts';

const STORED = 40;
let server: TypesenseServer;
let app: TestApp;
let workers: TestWorkers;
let seller: TestUser;
let admin: TestUser;

beforeAll(async () => {
  server = await startTypesenseServer();
  app = await startApp({ env: { TYPESENSE_URL: server.url, TYPESENSE_API_KEY: server.key } });
  workers = await startWorkers(app);
  [seller, admin] = [await app.createUser({ name: 'Seller' }), await app.createUser({ role: 'admin' })];
  await storeListings(
    app,
    seller,
    Array.from({ length: STORED }, (_, index) => ({ title: `Cutter number ${index}` })),
  );
  await compare();
  await workers.work('reindex-search');
  await untilIndexAnswers();
});
afterEach(async () => {
  server.feel('well');
  server.replay();
  await untilIndexAnswers();
  await workers.work('reconcile-search-index');
});
afterAll(async () => {
  await workers.close();
  await app.close();
  await server.close();
});

/** As in a fleet: what a search finds to be behind is indexed meanwhile. Who waits in vain is told why. */
async function untilIndexAnswers(): Promise<void> {
  await waitFor(async () => {
    const indexed = await workers.work('index-listing');
    const { engine } = await search();
    expect({ engine, indexed, problems: await problems() }).toMatchObject({ engine: 'typesense' });
  });
}

let asked = 0;
async function search(who = app) {
  asked += 1;
  const { body, headers } = await who.as().get(`/api/listings?limit=100&max_price=${900_000 + asked}`);
  const ids: string[] = body.results.map(({ id }: { id: string }) => id);
  return { ids, total: body.pagination.total as number, engine: headers.get('x-search-engine') };
}

async function compare() {
  await app.services.jobs.boss.send('reconcile-search-index', {});
  return workers.work('reconcile-search-index');
}

async function storedIds(): Promise<string[]> {
  const { rows } = await app.database.pool.query<{ id: string }>(
    `select id from listings where status not in ('draft', 'deleted') order by id`,
  );
  return rows.map(({ id }) => id);
}
const indexedIds = () =>
  server
    .documents('listings')
    .map(({ id }) => id)
    .filter((id) => id.startsWith('lst_'))
    .toSorted();

async function countRuns(): Promise<number> {
  const { rows } = await app.database.pool.query<{ runs: number }>(
    `select count(*)::int as runs from runs where kind = 'reindex'`,
  );
  return rows[0]!.runs;
}

async function problems(): Promise<string[]> {
  const { body } = await app.as(admin).get('/api/admin/health-detailed');
  return body.problems.filter((problem: string) => problem.includes('search index'));
}

test.each(['aliases', 'collections'] as const)(
  'a listing that was deleted stays out of the index when the server replays its log, %s first',
  async (first) => {
    const { body } = await app.as(seller).post('/api/listings', listingBody({ title: 'Sloop that will go' }));
    await app.as(seller).post(`/api/listings/${body.id}/publish`);
    await workers.work('index-listing');
    await app.as(admin).post('/api/admin/search/reindex');
    await workers.work('reindex-search');
    expect(indexedIds()).toContain(body.id);
    await app.as(seller).delete(`/api/listings/${body.id}`);
    await workers.work('index-listing');
    server.restart(first);
    server.replay();
    expect(indexedIds()).toEqual(await storedIds());
  },
);

test('while the log is replayed no half of it is answered, and all of it is answered when a write has been read back', async () => {
  const whole = await search();
  expect([whole.engine, whole.total]).toEqual(['typesense', STORED]);
  server.restart('aliases');
  // The alias and the collection are there, with some of the documents.
  for (let left = 200; left > 0 && indexedIds().length === 0; left -= 1) server.replay(1);
  const documents = server.collections.get(server.aliases.get('listings')!)!.documents;
  for (const id of [...documents.keys()].slice(0, STORED / 2)) documents.delete(id);
  expect(indexedIds().length).toBeLessThan(STORED);
  for (let turn = 0; turn < 5; turn += 1) expect(await search()).toMatchObject({ engine: 'postgres', total: STORED });
  server.replay();
  await expect.poll(async () => (await search()).engine).toBe('typesense');
});

test('an alias that is not replayed yet is not taken for gone: no index is built for nothing', async () => {
  const before = await countRuns();
  server.restart('collections');
  await app.services.jobs.boss.send('reconcile-search-index', {});
  const working = workers.work('reconcile-search-index');
  const isAsked = () => server.requests.some((request) => request === 'PUT /aliases/listings_canary');
  await expect.poll(isAsked).toBe(true);
  server.replay();
  expect(await working).toMatchObject([{ status: 'completed', output: { repaired: 0 } }]);
  expect(await countRuns()).toBe(before);
});

test('an index that returns is compared with the database, and administrators are told of what was wrong', async () => {
  const [lost = ''] = indexedIds();
  await app.database.pool.query(`delete from pgboss.job where name = 'reconcile-search-index'`);
  const fresh = await startApp({
    database: app.database,
    env: { TYPESENSE_URL: server.url, TYPESENSE_API_KEY: server.key },
  });
  try {
    const engine = async () => (await search(fresh)).engine;
    expect(await engine()).toBe('typesense');
    server.restart('aliases');
    server.replay();
    server.collections.get(server.aliases.get('listings')!)!.documents.delete(lost);
    await expect.poll(engine).toBe('typesense');
    expect(await workers.work('reconcile-search-index')).toMatchObject([{ output: { repaired: 1 } }]);
  } finally {
    await fresh.close();
  }
  expect(indexedIds()).toContain(lost);
  expect(await problems()).toEqual(['Documents of the search index that the last comparison had to repair: 1.']);
  await compare();
  expect(await problems()).toEqual([]);
});

test('an index that rests is a problem that administrators are told, also while nobody searches', async () => {
  server.feel('down');
  expect(await problems()).toEqual([expect.stringContaining('The search index does not answer, PostgreSQL does')]);
  server.feel('well');
  await expect.poll(problems).toEqual([]);
});
