import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readConfig } from '../../../shared/kit/config.ts';
import { startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { listingBody } from '../../support/listing-bodies.ts';
import { visitPages } from '../../support/page-visitor.ts';
import { startReplication, type Replication } from '../../support/replication.ts';
import { eventually } from '../../support/waiting.ts';

let replication: Replication;
/** Two API processes that read from two standbys. */
let app: TestApp;
let twin: TestApp;
let seller: TestUser;
beforeAll(async () => {
  replication = await startReplication(2);
  const env = { DATABASE_REPLICA_URLS: replication.standbys.map(({ url }) => url).join(', ') };
  app = await startApp({ database: replication.database, env });
  twin = await startApp({ database: replication.database, env });
  seller = await app.createUser();
});
afterAll(async () => {
  await twin.close();
  await app.close();
  await replication.stop();
});
beforeEach(async () => {
  for (const standby of replication.standbys) await standby.query('select pg_wal_replay_resume()').catch(() => []);
  await allServing();
});

const statesOf = ({ services }: TestApp) => services.reads.report().map(({ state }) => state);
const allServing = () =>
  eventually(() => [app, twin].every((each) => statesOf(each).every((state) => state === 'serving')), {
    describe: () => JSON.stringify([app, twin].map((each) => each.services.reads.report())),
  });
const readsOf = ({ services }: TestApp, target: string) => services.reads.counts().reads.get(target) ?? 0;
const standbyReads = (each: TestApp) => readsOf(each, 'standby-1') + readsOf(each, 'standby-2');
const pauseReplay = () => Promise.all(replication.standbys.map((each) => each.query('select pg_wal_replay_pause()')));
const clearCaches = () => {
  for (const each of [app, twin]) each.services.cache.clear();
};

async function publishOne(title: string): Promise<{ id: string; position: string }> {
  const created = await app.as(seller).post('/api/listings', listingBody({ title }));
  const published = await app.as(seller).post(`/api/listings/${created.body.id}/publish`);
  expect(published.status).toBe(200);
  return { id: created.body.id, position: published.headers.get('quayside-position') ?? '' };
}

const rename = async (id: string, title: string) => {
  const changed = await app.as(seller).put(`/api/listings/${id}`, { title });
  expect(changed.status).toBe(200);
  return changed.headers.get('quayside-position') ?? '';
};

const bring = (position: string) => ({ headers: { 'Quayside-Position': position } });

/** What PostgreSQL itself tells: the connections on which readers have asked it for something. */
async function readersOn(server: Replication['primary']): Promise<number> {
  const [row] = await server.query<{ count: number }>(
    `select count(*)::int from pg_stat_activity where application_name = 'quayside-read' and query not like 'set %'`,
  );
  return row!.count;
}

test('a list of anything but postgres URLs ends the start with one line', () => {
  const primary = { DATABASE_URL: 'postgres://db' };
  const read = (value: string) => () => readConfig({ ...primary, DATABASE_REPLICA_URLS: value });
  const line = 'DATABASE_REPLICA_URLS: must be postgres:// URLs, comma-separated';
  for (const bad of ['http://db', 'postgres://a, b', 'postgres://', 'postgres:///db']) expect(read(bad)).toThrow(line);
  expect(() => readConfig({ DATABASE_REPLICA_URLS: 'postgres://a/x' })).toThrow(
    'DATABASE_URL: required with DATABASE_REPLICA_URLS',
  );
  expect(readConfig({ DATABASE_REPLICA_URLS: '' }).databaseReplicaUrls).toEqual([]);
  expect(
    readConfig({ ...primary, DATABASE_REPLICA_URLS: 'postgres://a/x, postgresql://b:1/y' }).databaseReplicaUrls,
  ).toHaveLength(2);
});

describe('while all is well', () => {
  test('reads and searches of anonymous callers arrive at the standbys, in turns', async () => {
    const { id } = await publishOne('Standby sloop');
    await replication.caughtUp();
    const before = [readsOf(app, 'standby-1'), readsOf(app, 'standby-2'), readsOf(app, 'primary')];
    for (let round = 0; round < 10; round += 1) {
      clearCaches();
      expect((await app.as().get(`/api/listings/${id}`)).status).toBe(200);
      expect((await app.as().get('/api/listings?q=standby+sloop')).body.results[0].id).toBe(id);
    }
    const [one, two, primary] = [readsOf(app, 'standby-1'), readsOf(app, 'standby-2'), readsOf(app, 'primary')];
    expect([one - before[0]! > 3, two - before[1]! > 3, primary - before[2]!]).toEqual([true, true, 0]);
    for (const standby of replication.standbys) expect(await readersOn(standby)).toBeGreaterThan(0);
    expect(await readersOn(replication.primary)).toBe(0);
  });

  test('pages of visitors who have not signed in are read there too, those of others are not', async () => {
    const { id } = await publishOne('Standby yawl');
    await replication.caughtUp();
    clearCaches();
    const { body } = await app.as().get(`/api/listings/${id}`);
    const before = { standby: standbyReads(app), primary: readsOf(app, 'primary') };
    expect((await visitPages(app).open(`/listings/${body.slug}`)).status).toBe(200);
    expect((await visitPages(app).open('/search?q=yawl')).status).toBe(200);
    expect(standbyReads(app)).toBeGreaterThan(before.standby + 1);
    expect(readsOf(app, 'primary')).toBe(before.primary);
    const after = standbyReads(app);
    expect((await visitPages(app, seller).open(`/listings/${body.slug}`)).status).toBe(200);
    expect(standbyReads(app)).toBe(after);
  });

  test('views and searches that a standby has answered are counted', async () => {
    const { id } = await publishOne('Counted ketch');
    await replication.caughtUp();
    clearCaches();
    const before = standbyReads(app);
    await app.as().get(`/api/listings/${id}`, { headers: { 'User-Agent': 'Mozilla/5.0 (X11; Linux) Firefox/140' } });
    expect(standbyReads(app)).toBe(before + 1);
    await app.services.views.flush();
    const { rows } = await app.database.pool.query('select from listing_views where listing_id = $1', [id]);
    expect(rows).toHaveLength(1);
  });

  test('every answer to a write carries a position, no answer to a read does', async () => {
    const created = await app.as(seller).post('/api/listings', listingBody({ title: 'Positioned pram' }));
    const positions = [
      created,
      await app.as(seller).put(`/api/listings/${created.body.id}`, { title: 'Positioned pram two' }),
      await app.as(seller).delete(`/api/listings/${created.body.id}`),
      await app.as().post('/api/newsletter/subscribe', { email: 'reader@example.com' }),
    ].map(({ headers }) => headers.get('quayside-position'));
    expect(positions.every((position) => /^[\dA-F]+\/[\dA-F]+$/.test(position ?? ''))).toBe(true);
    const reads = [await app.as(seller).get('/api/me'), await app.as().get('/api/listings')];
    expect(reads.map(({ headers }) => headers.get('quayside-position'))).toEqual([null, null]);
    expect(created.headers.get('access-control-expose-headers')).toContain('Quayside-Position');
  });

  test('a position that is none is refused', async () => {
    expect((await app.as().get('/api/listings', bring('yesterday'))).status).toBe(400);
  });
});

describe('while the standbys replay nothing', () => {
  test('whoever writes reads it at once, signed in, without a credential, and at another process with the position', async () => {
    const { id } = await publishOne('Before the pause');
    await replication.caughtUp();
    await pauseReplay();
    for (let round = 0; round < 5; round += 1) {
      const title = `After the pause ${round}`;
      const position = await rename(id, title);
      const answers = await Promise.all([
        app.as(seller).get(`/api/listings/${id}`),
        twin.as(seller).get(`/api/listings/${id}`),
        app.as().get(`/api/listings/${id}`),
        twin.as().get(`/api/listings/${id}`, bring(position)),
        twin.as().get(`/api/listings/${id}.md`, bring(position)),
      ]);
      expect(answers.slice(0, 4).map(({ body }) => body.title)).toEqual(Array.from({ length: 4 }, () => title));
      expect(answers[4].text).toContain(title);
    }
  });

  test('every reader at every process has it within five seconds, and what a standby has answered before does not stick', async () => {
    const { id } = await publishOne('Cached and old');
    await replication.caughtUp();
    clearCaches();
    await twin.as().get(`/api/listings/${id}`);
    await pauseReplay();
    await rename(id, 'New for everybody');
    const startedAt = performance.now();
    const seen: string[] = [];
    while (performance.now() - startedAt < 7_000) {
      for (const path of [`/api/listings/${id}`, '/api/listings?q=everybody', `/api/listings/${id}?lang=de`]) {
        const { status, text } = await twin.as().get(path);
        seen.push(`${performance.now() - startedAt > 5_000} ${status} ${text.includes('New for everybody')}`);
      }
    }
    expect(seen.filter((each) => each.startsWith('true'))).toEqual(
      seen.filter((each) => each.startsWith('true')).map(() => 'true 200 true'),
    );
    expect(seen.every((each) => each.includes(' 200 '))).toBe(true);
  });

  test('a standby that lags for more than five seconds leaves the rotation, is told of, and returns', async () => {
    await replication.caughtUp();
    await pauseReplay();
    await publishOne('Somebody writes');
    await eventually(() => statesOf(app).every((state) => state === 'lagging'));
    const admin = await app.createUser({ role: 'admin' });
    const health = await app.as(admin).get('/api/admin/health-detailed');
    expect(health.body.standbys[0]).toMatchObject({ name: 'standby-1', state: 'lagging' });
    expect(health.body.standbys[0].lag_seconds).toBeGreaterThan(5);
    expect(health.body.problems.join(' ')).toMatch(/standby-2 answers no reads: it lags, \d+ s behind/);
    const { text } = await app.as(admin).get('/metrics');
    expect(text).toMatch(/^quayside_db_standby_serving\{[^}]*standby="standby-1"[^}]*\} 0$/m);
    expect(
      Number(/^quayside_db_standby_lag_seconds\{[^}]*standby="standby-1"[^}]*\} (\S+)$/m.exec(text)?.[1]),
    ).toBeGreaterThan(5);
    expect(text).toMatch(/^quayside_db_reads_total\{[^}]*target="standby-2"[^}]*\} [1-9]/m);
    for (const standby of replication.standbys) await standby.query('select pg_wal_replay_resume()');
    await allServing();
  });

  test('a read that brings a position waits for a standby that is about to reach it', async () => {
    const { id } = await publishOne('Nearly there');
    await replication.caughtUp();
    await pauseReplay();
    const position = await rename(id, 'Nearly there, once more');
    const before = standbyReads(twin);
    const reading = twin.as().get(`/api/listings/${id}`, bring(position));
    for (const standby of replication.standbys) await standby.query('select pg_wal_replay_resume()');
    expect((await reading).body.title).toBe('Nearly there, once more');
    // Whether it came in time is the machine's to say; that it was read is not.
    expect(standbyReads(twin) - before).toBeLessThanOrEqual(1);
  });

  test('a visitor who has written by a page reads it on every process, by a cookie', async () => {
    await replication.caughtUp();
    const other = await app.createUser();
    const visitor = visitPages(app, other);
    await visitor.open('/sign-out');
    await visitor.send('main form', {}, { follow: false });
    expect(visitor.cookie()).toMatch(/^position=[\dA-F]+\/[\dA-F]+$/);
    await pauseReplay();
    const { id } = await publishOne('Known by a cookie alone');
    const { body } = await app.as(seller).get(`/api/listings/${id}`);
    const cookie = `position=${app.services.reads.position()}`;
    const page = await visitPages(twin).open(`/listings/${body.slug}`, { Cookie: cookie });
    expect([page.status, page.$('h1').text()]).toEqual([200, 'Known by a cookie alone']);
  });
});
