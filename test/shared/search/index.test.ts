import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { newId } from '../../../shared/kit/ids.ts';
import { TypesenseError } from '../../../shared/search/typesense/client.ts';
import { createTypesenseEngine } from '../../../shared/search/typesense/engine.ts';
import { listingBody } from '../../support/listing-bodies.ts';
import { startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { startTypesenseServer, type TypesenseServer } from '../../support/typesense-server.ts';
import { eventually } from '../../support/waiting.ts';
import { startWorkers, type TestWorkers } from '../../support/workers.ts';
import { storeListings } from '../../api/listings/search-fixture.ts';

const ALIAS = 'listings';
let server: TypesenseServer;
let app: TestApp;
let workers: TestWorkers;
let seller: TestUser;
let admin: TestUser;

beforeAll(async () => {
  server = await startTypesenseServer();
  // A search waits for the index for 3.5 s at most, and a slow answer takes ten.
  app = await startApp({ env: { DEADLINE_FACTOR: '5', TYPESENSE_URL: server.url, TYPESENSE_API_KEY: server.key } });
  workers = await startWorkers(app);
  [seller, admin] = [await app.createUser({ name: 'Seller' }), await app.createUser({ role: 'admin' })];
  await storeListings(
    app,
    seller,
    Array.from({ length: 30 }, (_, index) => ({ title: `Cutter number ${index}`, price_amount: index * 100 })),
  );
});
afterAll(async () => {
  server.feel('well');
  await workers.close();
  await app.close();
  await server.close();
});

/** A search that no cache has answered before. */
let asked = 0;
async function search(query = '', who = app.as()) {
  asked += 1;
  const { status, body, headers } = await who.get(
    `/api/listings?limit=50&max_price=${900_000 + asked}&include_unpriced=true&${query}`,
  );
  return {
    status,
    ids: body.results?.map(({ id }: { id: string }) => id) as string[],
    total: body.pagination?.total as number,
    engine: headers.get('x-search-engine'),
  };
}

const idsOf = (alias = ALIAS) =>
  server
    .documents(alias)
    .map(({ id }) => id)
    .toSorted();
async function storedIds(): Promise<string[]> {
  const { rows } = await app.database.pool.query<{ id: string }>(
    `select id from listings where status not in ('draft', 'deleted') order by id`,
  );
  return rows.map(({ id }) => id);
}

/** A process looks once a second how far the index is. */
const untilAnsweredBy = (engine: string, query = '', who = app.as()) =>
  eventually(async () => (await search(query, who)).engine === engine);

/** What administrators are told is wrong with the index. */
async function problems(): Promise<string[]> {
  const { body } = await app.as(admin).get('/api/admin/health-detailed');
  return body.problems.filter((problem: string) => problem.includes('search index'));
}

/** What a process of workers does when it starts. */
async function build() {
  await app.services.jobs.boss.send('reconcile-search-index', {});
  await workers.work('reconcile-search-index');
  for (const { status } of await workers.work('reindex-search')) expect(status).toBe('completed');
}

/** What a job that waits is due for later. */
async function drain() {
  await app.database.pool.query(
    `update pgboss.job set start_after = now() where name = 'drain-search-backlog' and state < 'active'`,
  );
  return workers.work('drain-search-backlog');
}

/** How many requests have come, once those have that nobody waits for any more. */
async function settledRequests(): Promise<number> {
  for (let seen = -1; seen !== server.requests.length;) {
    seen = server.requests.length;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  return server.requests.length;
}

/** The breaker tries again after a while; each search looks whether it is time. */
const untilIndexAnswers = () => eventually(async () => (await search()).engine === 'typesense', { everyMs: 100 });

test('before there is an index PostgreSQL answers, and the first look at it builds one', async () => {
  const before = await search();
  expect([before.engine, before.total]).toEqual(['postgres', 30]);
  await build();
  await untilIndexAnswers();
  const after = await search();
  expect([after.engine, after.ids]).toEqual(['typesense', before.ids]);
  expect(idsOf()).toEqual(await storedIds());
});

test('a search that the index answers costs the database one read of cards, and a look at its state each second', async () => {
  const { pool } = app.services;
  const queries = vi.spyOn(pool, 'query');
  const startedAt = performance.now();
  for (const query of ['q=cutter', 'q=cutter&facets=category,country', 'sort=price_asc', 'near=54,10&radius_km=500'])
    expect((await search(query)).engine).toBe('typesense');
  const seconds = (performance.now() - startedAt) / 1_000;
  const asked = queries.mock.calls.map(([query]) => query as { name?: string; text?: string });
  queries.mockRestore();
  // Counters and the journal are written and read whether anybody searches or not.
  const names = asked.filter(({ text = '' }) => / listings\b/.test(text)).map(({ name }) => name);
  const other = names.filter((name) => name !== 'index-state');
  // Nothing is near that place: no card is read.
  expect(other).toEqual(['cards', 'cards', 'cards']);
  expect(names.length - other.length).toBeLessThanOrEqual(Math.ceil(seconds) + 1);
});

test('what matched is marked in the title and in an excerpt, and nothing else of them is markup', async () => {
  const { pool, searchIndex } = workers.services;
  const title = 'Cutter <b>&</b> "Ketch"';
  const [stored] = await storeListings(app, seller, [
    { title, description: 'A <i>cutter</i> with a mizzen in plain oak.' },
  ]);
  await searchIndex!.indexTogether([stored!.id]);
  const page = await createTypesenseEngine(pool, searchIndex!).findPage({
    search: {
      filters: { q: 'ketch cutter', impossible: false },
      scope: { everyone: ['active'] },
      sort: 'relevance',
      seed: '',
      offset: 0,
      limit: 5,
      locale: 'en',
      now: new Date(),
    },
    facets: [],
    facetLimit: 10,
    readerId: undefined,
  });
  expect(page?.highlights?.get(stored!.id)).toEqual({
    title: '<mark>Cutter</mark> &lt;b&gt;&amp;&lt;/b&gt; &quot;<mark>Ketch</mark>&quot;',
    snippet: 'A &lt;i&gt;<mark>cutter</mark>&lt;/i&gt; with a mizzen in plain oak.',
  });
});

describe('suggestions come from the index', () => {
  const suggest = async (q: string) => {
    const { status, body, headers } = await app.as().get(`/api/search/suggest?q=${encodeURIComponent(q)}`);
    expect(status).toBe(200);
    const texts = (type: string) =>
      body.suggestions.filter((each: { type: string }) => each.type === type).map(({ text }: { text: string }) => text);
    return { engine: headers.get('x-search-engine'), listings: texts('listing'), terms: texts('term') };
  };

  test('by the beginning of any word, and with a typo', async () => {
    await untilIndexAnswers();
    const begun = await suggest('cut');
    expect([begun.engine, begun.listings[0]]).toEqual(['typesense', expect.stringContaining('Cutter')]);
    expect((await suggest('cuttre numb')).listings[0]).toMatch(/Cutter/);
    expect(await suggest('qqqqqq')).toMatchObject({ listings: [], terms: [] });
    expect(await suggest('***')).toMatchObject({ listings: [], terms: [] });
  });

  test('with the searches that many have made, and none that somebody made once', async () => {
    const { pool } = app.database;
    await pool.query(`insert into search_queries (day, query, searches, results)
      values (current_date, 'dinghy with oars', 7, 9), (current_date, 'dinghy of mine', 1, 9)`);
    expect((await suggest('ding')).terms).toEqual([]);
    await app.services.jobs.boss.send('refresh-suggestions', {});
    expect((await workers.work('refresh-suggestions'))[0]).toMatchObject({ output: { indexed_terms: 1 } });
    expect((await suggest('dinghy w')).terms).toEqual(['dinghy with oars']);
    await pool.query('delete from search_queries');
    await app.services.jobs.boss.send('refresh-suggestions', {});
    await workers.work('refresh-suggestions');
    expect((await suggest('dinghy wi')).terms).toEqual([]);
  });
});

describe('a change', () => {
  test('is found by its owner at once, and by everybody from the index when its job is done', async () => {
    const { status, body } = await app
      .as(seller)
      .post('/api/listings', listingBody({ title: 'Sloop of her own kind' }));
    expect(status).toBe(201);
    await app.as(seller).post(`/api/listings/${body.id}/publish`);
    const own = await search('q=sloop', app.as(seller));
    expect([own.engine, own.ids]).toEqual(['postgres', [body.id]]);
    await workers.work('index-listing');
    const everyone = await search('q=sloop');
    expect([everyone.engine, everyone.ids]).toEqual(['typesense', [body.id]]);
    await untilAnsweredBy('typesense', 'q=sloop', app.as(seller));

    await app.as(seller).patch(`/api/listings/${body.id}`, { status: 'sold' });
    const stale = await search('q=sloop');
    expect([stale.engine, stale.ids]).toEqual(['postgres', []]);
    await workers.work('index-listing');
    expect(await search('q=sloop')).toMatchObject({ engine: 'typesense', ids: [], total: 0 });
    await app.as(seller).delete(`/api/listings/${body.id}`);
    const fewer = await search('status=sold&page=2', app.as(seller));
    expect([fewer.engine, fewer.total]).toEqual(['postgres', 0]);
    await workers.work('index-listing');
    await untilAnsweredBy('typesense', '', app.as(seller));
    expect(idsOf()).toEqual(await storedIds());
  });

  test('that waits too long for the index makes PostgreSQL answer', async () => {
    const [id] = await storedIds();
    const { boss } = app.services.jobs;
    const job = await boss.send('index-listing', { listing_ids: [id] });
    expect((await search()).engine).toBe('typesense');
    await app.database.pool.query(`update pgboss.job set created_on = now() - interval '4 seconds' where id = $1`, [
      job,
    ]);
    await untilAnsweredBy('postgres');
    await workers.work('index-listing');
    await untilAnsweredBy('typesense');
  });

  test('is written as it is last, whichever worker comes last', async () => {
    const [id = ''] = await storedIds();
    const { pool } = app.database;
    const updated = Promise.withResolvers<void>();
    const before = server.requests.length;
    server.feel({ until: updated.promise });
    const first = workers.services.searchIndex!.indexTogether([id]);
    await expect.poll(() => server.requests.length).toBeGreaterThan(before);
    await pool.query(`update listings set title = 'Ketch of the last word', version = version + 1 where id = $1`, [id]);
    server.feel('well');
    updated.resolve();
    await first;
    expect(server.documents(ALIAS).find((each) => each.id === id)).toMatchObject({ title: 'Ketch of the last word' });
  });

  test('that the index refuses is left out and told, until the listing changes', async () => {
    const [id = ''] = await storedIds();
    const { pool } = app.database;
    server.refuse(id);
    await workers.services.searchIndex!.indexTogether([id]);
    const refusals = async () => (await pool.query('select listing_id, error from search_refusals')).rows;
    expect(await refusals()).toEqual([{ listing_id: id, error: expect.stringContaining('not liked') }]);
    expect(idsOf()).not.toContain(id);
    await untilAnsweredBy('postgres', '', app.as(seller));
    expect((await search('', app.as(seller))).ids).toContain(id);
    expect((await search()).engine).toBe('typesense');
    expect(await problems()).toEqual(['Listings that the search index refuses: 1.']);
    await app.services.jobs.boss.send('reconcile-search-index', {});
    // Nobody misses what is known to be refused.
    expect((await workers.work('reconcile-search-index'))[0]?.output).toMatchObject({ repaired: 0 });
    server.refuse();
    await workers.services.searchIndex!.indexTogether([id]);
    expect(await refusals()).toEqual([]);
    expect(await problems()).toEqual([]);
    expect(idsOf()).toEqual(await storedIds());
  });

  test('of an owner a moment ago is not asked of a cluster, whose nodes learn it one after the other', async () => {
    const twin = await startApp({
      database: app.database,
      env: { TYPESENSE_URL: `${server.url},${server.url}`, TYPESENSE_API_KEY: server.key },
    });
    try {
      await untilAnsweredBy('typesense', '', twin.as(seller));
      const { status } = await app.as(seller).post('/api/listings', listingBody({ title: 'Cutter of a moment ago' }));
      expect(status).toBe(201);
      await workers.work('index-listing');
      await untilAnsweredBy('postgres', '', twin.as(seller));
      await untilAnsweredBy('typesense', '', app.as(seller));
      expect((await search('', twin.as(seller))).engine).toBe('postgres');
      expect((await search('', twin.as(admin))).engine).toBe('typesense');
    } finally {
      await twin.close();
    }
  });
});

describe('the nightly comparison', () => {
  test('repairs what is missing, what is old and what should not be there', async () => {
    const documents = server.collections.get(server.aliases.get(ALIAS)!)!.documents;
    const [missing = '', old = '', model = ''] = await storedIds();
    documents.delete(missing);
    documents.get(old)!['version'] = -1;
    const orphan = newId('listing');
    documents.set(orphan, { ...documents.get(model)!, id: orphan });
    await app.services.jobs.boss.send('reconcile-search-index', {});
    const [result] = await workers.work('reconcile-search-index');
    expect(result?.output).toMatchObject({ repaired: 3 });
    expect(idsOf()).toEqual(await storedIds());
    expect(documents.get(old)!['version']).not.toBe(-1);
  });

  test('repairs documents whose words or figures somebody has altered', async () => {
    const documents = server.collections.get(server.aliases.get(ALIAS)!)!.documents;
    const [worded = '', priced = ''] = await storedIds();
    const before = [documents.get(worded), documents.get(priced)];
    documents.set(worded, { ...documents.get(worded)!, description: 'nonsense' });
    documents.set(priced, { ...documents.get(priced)!, price: 1 });
    await app.services.jobs.boss.send('reconcile-search-index', {});
    const [result] = await workers.work('reconcile-search-index');
    expect(result?.output).toMatchObject({ repaired: 2 });
    expect([documents.get(worded), documents.get(priced)]).toEqual(before);
    await app.services.jobs.boss.send('reconcile-search-index', {});
    expect((await workers.work('reconcile-search-index'))[0]?.output).toMatchObject({ repaired: 0 });
  });

  test('brings views up to date, which no change tells, and calls that no repair', async () => {
    const documents = server.collections.get(server.aliases.get(ALIAS)!)!.documents;
    const [id = ''] = await storedIds();
    await app.database.pool.query('insert into listing_views (listing_id, views) values ($1, 12)', [id]);
    await app.services.jobs.boss.send('reconcile-search-index', {});
    expect((await workers.work('reconcile-search-index'))[0]?.output).toMatchObject({ repaired: 0, viewed: 1 });
    expect(documents.get(id)).toMatchObject({ views: 12 });
  });

  test('is done at once for what a reader comes across', async () => {
    const documents = server.collections.get(server.aliases.get(ALIAS)!)!.documents;
    const orphan = newId('listing');
    documents.set(orphan, { ...documents.get((await storedIds())[0]!)!, id: orphan });
    const look = async () => {
      const { ids } = await search();
      await workers.work('index-listing');
      return ids.includes(orphan) || documents.has(orphan);
    };
    await expect.poll(look).toBe(false);
    await untilAnsweredBy('typesense');
  });
});

describe('T41: while the index is', () => {
  afterEach(async () => {
    server.feel('well');
    await drain();
  });

  test.each(['down', 'slow'] as const)(
    '%s, PostgreSQL answers in time, changes wait, and all of them are there soon after it is back',
    async (mood) => {
      await untilIndexAnswers();
      server.feel(mood);
      const answers = await Promise.all(Array.from({ length: 30 }, () => search('q=cutter')));
      for (const { status, engine, total } of answers)
        expect([status, engine, total]).toEqual([200, 'postgres', answers[0]!.total]);
      const before = await settledRequests();
      for (let turn = 0; turn < 5; turn += 1) expect((await search()).engine).toBe('postgres');
      // One that rests is asked by a probe now and then.
      expect(server.requests.length - before).toBeLessThan(5);

      if (mood === 'down') {
        const [stored] = await storeListings(app, seller, [{ title: `Yawl of the outage ${mood}` }]);
        await app.services.jobs.boss.send('index-listing', { listing_ids: [stored!.id] });
        await workers.work('index-listing');
        expect((await drain())[0]).toMatchObject({ status: 'completed', output: { waits: true } });
        expect((await search(`q=yawl`)).ids).toContain(stored!.id);
      }
      server.feel('well');
      await drain();
      await untilIndexAnswers();
      expect(idsOf()).toEqual(await storedIds());
      expect((await search('q=cutter')).engine).toBe('typesense');
    },
  );

  test.each(['lagging', 'cut', 'no JSON', 'half an answer'] as const)('%s, searches are told so', async (mood) => {
    const { pool, searchIndex } = workers.services;
    const engine = createTypesenseEngine(pool, searchIndex!);
    await engine.probe();
    server.feel(mood);
    await expect(engine.probe()).rejects.toBeInstanceOf(TypesenseError);
  });

  test.each(['lagging', 'cut', 'no JSON'] as const)('%s, changes are kept for later', async (mood) => {
    const [id = ''] = await storedIds();
    server.feel(mood);
    await expect(workers.services.searchIndex!.indexTogether([id])).rejects.toBeInstanceOf(TypesenseError);
  });

  test('there without what it held, it is built anew although nothing changes', async () => {
    await untilIndexAnswers();
    server.collections.clear();
    server.aliases.clear();
    expect((await search()).engine).toBe('postgres');
    await expect
      .poll(async () => {
        await search();
        return workers.work('reconcile-search-index');
      })
      .toMatchObject([{ status: 'completed', output: { reindex_job_id: expect.any(String) } }]);
    await workers.work('reindex-search');
    await untilIndexAnswers();
    expect(idsOf()).toEqual(await storedIds());
  });

  test('down, the administrators are told of changes that wait', async () => {
    const { pool } = app.database;
    const [id] = await storedIds();
    await pool.query(`insert into search_backlog (listing_id, since) values ($1, now() - interval '2 minutes')`, [id]);
    expect(await problems()).toEqual([expect.stringContaining('waited for the search index for 12')]);
    await app.services.jobs.boss.send('drain-search-backlog', {});
    await drain();
    expect(await problems()).toEqual([]);
  });

  test('asked with a bad key', async () => {
    const twin = await startApp({
      database: app.database,
      env: { TYPESENSE_URL: server.url, TYPESENSE_API_KEY: 'wrong' },
    });
    try {
      expect(await search('', twin.as())).toMatchObject({ status: 200, engine: 'postgres' });
    } finally {
      await twin.close();
    }
  });
});

describe('T42: a reindex while readers read and sellers write', () => {
  test('shows no empty or short page, and ends with every listing in the index', async () => {
    await untilIndexAnswers();
    const least = (await storedIds()).length;
    const target = server.aliases.get(ALIAS)!;
    const { status } = await app.as(admin).post('/api/admin/search/reindex');
    expect(status).toBe(202);
    expect((await app.as(admin).post('/api/admin/search/reindex')).status).toBe(409);
    let isDone = false;
    const totals: number[] = [];
    const reading = (async () => {
      while (!isDone) {
        const { ids, total } = await search();
        totals.push(total);
        expect(ids.length).toBe(Math.min(50, total));
      }
    })();
    const writing = (async () => {
      for (let turn = 0; turn < 10; turn += 1) {
        const [stored] = await storeListings(app, seller, [{ title: `Cutter of the reindex ${turn}` }]);
        await app.services.jobs.boss.send('index-listing', { listing_ids: [stored!.id] });
        await workers.work('index-listing');
      }
    })();
    const [run] = await workers.work('reindex-search');
    await writing;
    isDone = true;
    await reading;
    expect(run?.status).toBe('completed');
    expect(Math.min(...totals)).toBeGreaterThanOrEqual(least);
    expect(server.aliases.get(ALIAS)).not.toBe(target);
    expect([...server.collections.keys()].toSorted()).toEqual([server.aliases.get(ALIAS), `${ALIAS}_terms`]);
    expect(idsOf()).toEqual(await storedIds());
    const { rows } = await app.database.pool.query(
      `select status, counters from runs where kind = 'reindex' order by id desc limit 1`,
    );
    expect(rows[0]).toMatchObject({ status: 'succeeded', counters: { refused: 0 } });
  });
});
