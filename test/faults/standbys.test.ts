import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startApp, type TestApp, type TestUser } from '../support/app.ts';
import { listingBody } from '../support/listing-bodies.ts';
import { startReplication, type Replication } from '../support/replication.ts';
import { startNetwork } from '../support/silent-network.ts';
import { eventually } from '../support/waiting.ts';

let replication: Replication;
/** As everybody reaches the primary. */
let front: Awaited<ReturnType<typeof startNetwork>>;
/** The second standby is reached through a network that can go silent. */
let network: Awaited<ReturnType<typeof startNetwork>>;
let app: TestApp;
let twin: TestApp;
let seller: TestUser;
let id: string;
beforeAll(async () => {
  replication = await startReplication(2);
  const [first, second] = replication.standbys;
  front = await startNetwork(replication.primary.url);
  network = await startNetwork(second!.url);
  const env = { DATABASE_REPLICA_URLS: `${first!.url},${network.url}`, DEADLINE_FACTOR: '1' };
  const database = { ...replication.database, url: front.url };
  app = await startApp({ database, env });
  twin = await startApp({ database, env });
  seller = await app.createUser();
  const created = await app.as(seller).post('/api/listings', listingBody({ title: 'Stays afloat 0' }));
  id = created.body.id;
  await app.as(seller).post(`/api/listings/${id}/publish`);
  await allAre('serving', 'serving');
});
afterAll(async () => {
  await twin.close();
  await app.close();
  network.close();
  front.close();
  await replication.stop();
});

const allAre = (...states: string[]) =>
  eventually(
    () => [app, twin].every(({ services }) => services.reads.report().every(({ state }, i) => state === states[i])),
    { describe: () => JSON.stringify(app.services.reads.report()) },
  );
const standbyReads = () => {
  const { reads } = app.services.reads.counts();
  return { one: reads.get('standby-1') ?? 0, two: reads.get('standby-2') ?? 0 };
};

type Failure = { path: string; status: number; text: string };

/** Anonymous readers at both processes, none of whom is answered from a cache, from now until the answer is asked for. */
function startReaders(): { stop(): Promise<{ answered: number; failures: Failure[] }> } {
  let stopping = false;
  const failures: Failure[] = [];
  let answered = 0;
  const paths = [`/api/listings/${id}`, '/api/listings?q=afloat&facets=category', '/api/rentals', '/search?q=afloat'];
  const read = async (path: string, place: number) => {
    while (!stopping) {
      const each = place % 2 === 0 ? app : twin;
      each.services.cache.clear();
      const response = await fetch(each.url + path, {
        headers: { Accept: path.startsWith('/api') ? '*/*' : 'text/html' },
      });
      const text = await response.text();
      answered += 1;
      if (response.status !== 200) failures.push({ path, status: response.status, text: text.slice(0, 300) });
    }
  };
  const reading = [...paths, ...paths].map(read);
  const stop = async () => {
    stopping = true;
    await Promise.all(reading);
    return { answered, failures };
  };
  onTestFinished(async () => void (await stop()));
  return { stop };
}

let writes = 0;
/** The owner writes, and whoever brings the position reads it at the other process. */
async function writeAndRead(): Promise<void> {
  writes += 1;
  const title = `Stays afloat ${writes}`;
  const changed = await app.as(seller).put(`/api/listings/${id}`, { title });
  expect(changed.status).toBe(200);
  const headers = { 'Quayside-Position': changed.headers.get('quayside-position') ?? '' };
  const seen = [
    await app.as(seller).get(`/api/listings/${id}`),
    await app.as().get(`/api/listings/${id}`),
    await twin.as().get(`/api/listings/${id}`, { headers }),
  ];
  expect(seen.map(({ status, body }) => [status, body.title])).toEqual(seen.map(() => [200, title]));
}

/** Reads and writes go on without an error while something happens to a server. */
async function undisturbed(happens: () => Promise<void>): Promise<void> {
  const readers = startReaders();
  try {
    await writeAndRead();
    await happens();
    await writeAndRead();
  } finally {
    const { answered, failures } = await readers.stop();
    expect(failures).toEqual([]);
    expect(answered).toBeGreaterThan(0);
  }
}

test('a read that a standby cancels for its recovery (40001) is repeated on the primary, and the standby stays', async () => {
  for (const standby of replication.standbys) await standby.set('max_standby_streaming_delay', '10ms');
  const before = app.services.reads.counts().repeated;
  const slowOnStandbys = `select pg_sleep(case when pg_is_in_recovery() then 60 else 0 end), pg_is_in_recovery() as standby
                          from listings limit 1`;
  const reading = app.services.reads.read(
    async ({ pool }) => (await pool.query<{ standby: boolean }>(slowOnStandbys)).rows,
  );
  await eventually(async () => {
    const found = await Promise.all(
      replication.standbys.map((each) =>
        each.query(`select from pg_stat_activity where wait_event = 'PgSleep' and application_name = 'quayside-read'`),
      ),
    );
    return found.flat().length === 1;
  });
  await replication.primary.query(
    'alter table listings add column scratch int; alter table listings drop column scratch',
  );
  expect((await reading).map(({ standby }) => standby)).toEqual([false]);
  expect(app.services.reads.counts().repeated).toBe(before + 1);
  await allAre('serving', 'serving');
});

test('a read that would write is refused by a standby and repeated, and the standby stays', async () => {
  await replication.caughtUp();
  const write = `with made as (insert into kept_figures (name, figures, counted_at, took_ms) values ('read', '{}', now(), 1) returning 1)
                 select pg_is_in_recovery() as standby from made`;
  const rows = await app.services.reads.read(async ({ pool }) => (await pool.query<{ standby: boolean }>(write)).rows);
  expect(rows).toEqual([{ standby: false }]);
  await allAre('serving', 'serving');
});

test('what is not found on a standby is looked for on the primary', async () => {
  for (const each of replication.standbys) await each.query('select pg_wal_replay_pause()');
  // By nobody that the process hears of: neither a write of its own, nor an event.
  await replication.primary.query(`update listings set slug = slug || '-unheard' where id = '${id}'`);
  const [row] = await replication.primary.query<{ slug: string }>(`select slug from listings where id = '${id}'`);
  expect((await app.as().get(`/api/listings/${row!.slug}`)).status).toBe(200);
  for (const each of replication.standbys) await each.query('select pg_wal_replay_resume()');
  await allAre('serving', 'serving');
});

test('no read fails while a standby is killed, and it is read from again when it is back', async () => {
  await undisturbed(async () => {
    await replication.standbys[0]!.kill();
    await allAre('unreachable', 'serving');
  });
  const before = standbyReads().one;
  await undisturbed(async () => {
    await replication.standbys[0]!.start();
    await allAre('serving', 'serving');
  });
  await replication.caughtUp();
  for (let round = 0; round < 10; round += 1) {
    app.services.cache.clear();
    await app.as().get(`/api/listings/${id}`);
  }
  expect(standbyReads().one).toBeGreaterThan(before);
});

test('no read fails while a standby goes silent without closing anything: those that wait are answered by the primary', async () => {
  const readers = startReaders();
  network.setSilent(true);
  await allAre('serving', 'unreachable');
  const { failures, answered } = await readers.stop();
  expect(failures).toEqual([]);
  expect(answered).toBeGreaterThan(0);
  network.setSilent(false);
  await allAre('serving', 'serving');
});

test('readers without a credential are answered while the primary is away, and what they were answered does not stick', async () => {
  await replication.caughtUp();
  const page = await app.as().get(`/api/listings/${id}`);
  const readers = startReaders();
  await replication.primary.kill();
  await eventually(async () => (await fetch(`${app.url}/health`)).status === 503);
  const database = await app.as().get('/health/db');
  expect([database.status, database.body.status]).toEqual([200, 'read_only']);
  expect((await app.as(seller).put(`/api/listings/${id}`, { title: 'Lost' })).status).toBe(503);
  for (const each of [app, twin]) expect((await each.as().get(`/api/listings/${id}`)).body.title).toBe(page.body.title);
  expect((await readers.stop()).failures).toEqual([]);
  await replication.primary.start();
  await eventually(async () => (await fetch(`${app.url}/health`)).status === 200);
  await writeAndRead();
  await allAre('serving', 'serving');
});

test('a standby that is promoted is read from no more, and what is written to it is shown to nobody', async () => {
  const other = await startReplication(1);
  onTestFinished(async () => other.stop());
  const [promoted] = other.standbys;
  const alone = await startApp({ database: other.database, env: { DATABASE_REPLICA_URLS: promoted!.url } });
  onTestFinished(async () => alone.close());
  const states = () => alone.services.reads.report().map(({ state }) => state);
  await eventually(() => states()[0] === 'serving' && alone.services.reads.position() !== undefined);
  const read = async () => {
    alone.services.cache.clear();
    return (await alone.as().get('/api/categories/sailboats')).body.name;
  };
  const name = await read();
  expect(alone.services.reads.counts().reads.get('standby-1')).toBe(1);
  await promoted!.query('select pg_promote()');
  await eventually(() => states()[0] === 'promoted');
  await promoted!.query(`update categories set name = 'Of another history', names = '{}'`).catch(() => []);
  for (let round = 0; round < 10; round += 1) expect(await read()).toBe(name);
  expect(alone.services.reads.counts().reads.get('standby-1')).toBe(1);
});

test('after a failover to a standby that lacked the last commits, a standby that has them is read from no more', async () => {
  const [next, ahead] = replication.standbys;
  await replication.caughtUp();
  await next!.set('primary_conninfo', '');
  await eventually(async () => (await next!.query('select from pg_stat_wal_receiver')).length === 0);
  expect((await app.as(seller).put(`/api/listings/${id}`, { title: 'Lost with the primary' })).status).toBe(200);
  await replication.primary.query('select pg_switch_wal()');
  await app.services.reads.noteCommit();
  const position = app.services.reads.position()!;
  await eventually(async () => {
    const [row] = await ahead!.query<{ is: boolean }>(`select pg_last_wal_replay_lsn() >= '${position}' as is`);
    return row!.is;
  });
  const readers = startReaders();
  await replication.primary.kill();
  await next!.query('select pg_promote()');
  front.moveTo(next!.url);
  await allAre('promoted', 'diverged');
  const [row] = await next!.query<{ behind: boolean }>(`select pg_current_wal_insert_lsn() < '${position}' as behind`);
  expect(row!.behind).toBe(true);
  await eventually(async () => (await fetch(`${app.url}/health`)).status === 200);
  for (let round = 0; round < 5; round += 1) await writeAndRead();
  expect((await readers.stop()).failures).toEqual([]);
  await allAre('promoted', 'diverged');
});
