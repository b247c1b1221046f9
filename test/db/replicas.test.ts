import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { followReplicas, type Replicas } from '../../db/replicas.ts';
import { formatPosition, parsePosition } from '../../db/wal-position.ts';
import { cloneDatabase } from '../support/database.ts';
import { startReplication, type Replication } from '../support/replication.ts';
import { eventually } from '../support/waiting.ts';

let replication: Replication;
beforeAll(async () => {
  replication = await startReplication(1);
  await replication.primary.query('create table notes (id int primary key, text text)');
});
afterAll(async () => {
  await replication.stop();
});

function follow(urls = [replication.standbys[0]!.url], standbyLag = 5_000): Replicas {
  const replicas = followReplicas({
    databaseUrl: replication.primary.url,
    replicaUrls: urls,
    max: 3,
    applicationName: 'test replicas',
    deadlines: { standbyLag },
  });
  onTestFinished(async () => {
    for (const { pool } of replicas.standbys) if (!pool.ended) await replicas.stop();
    await replication.standbys[0]!.query('select pg_wal_replay_resume()');
  });
  return replicas;
}

const stateOf = (replicas: Replicas) => replicas.report().map(({ state }) => state);
const isServing = (replicas: Replicas) =>
  eventually(() => stateOf(replicas).every((state) => state === 'serving') && replicas.position() !== undefined);
const where = (replicas: Replicas, position?: string) => replicas.read(async (standby) => standby?.name, position);
let notes = 0;
const write = () => replication.primary.query(`insert into notes values (${(notes += 1)}, 'x')`);

test('a position reads and writes as PostgreSQL does', () => {
  for (const text of ['0/0', '0/16B3740', '16/B374D848', 'FF/FFFFFFFF'])
    expect(formatPosition(parsePosition(text))).toBe(text);
  expect(parsePosition('1/0') - parsePosition('0/FFFFFFFF')).toBe(1);
});

test('while the primary is idle a standby has no lag, however long ago the last transaction was', async () => {
  await write();
  await replication.caughtUp();
  const replicas = follow(undefined, 300);
  await isServing(replicas);
  await sleep(2_000);
  expect(replicas.report()).toEqual([{ name: 'standby-1', state: 'serving', lagSeconds: 0 }]);
  const [naive] = await replication.standbys[0]!.query<{ s: number }>(
    'select extract(epoch from now() - pg_last_xact_replay_timestamp())::float as s',
  );
  expect(naive!.s).toBeGreaterThan(1);
});

test('a steady delay is measured as what it is, and takes a standby out for as long as it lasts', async () => {
  const replicas = follow(undefined, 1_000);
  await isServing(replicas);
  await replication.standbys[0]!.set('recovery_min_apply_delay', '2500ms');
  const writing = setInterval(() => void write(), 100);
  try {
    await eventually(() => replicas.report()[0]!.lagSeconds > 2);
    const seen: string[] = [];
    for (let round = 0; round < 30; round += 1) {
      seen.push(stateOf(replicas)[0]!, String(await where(replicas)));
      await sleep(100);
    }
    expect(new Set(seen)).toEqual(new Set(['lagging', 'undefined']));
    expect(replicas.report()[0]!.lagSeconds).toBeLessThan(5);
  } finally {
    clearInterval(writing);
    await replication.standbys[0]!.set('recovery_min_apply_delay', '0');
  }
  await isServing(replicas);
  await replication.caughtUp();
  expect(await where(replicas)).toBe('standby-1');
});

test('after a commit that is told of, reads go to the primary until a standby has replayed it', async () => {
  const replicas = follow();
  await isServing(replicas);
  await replication.caughtUp();
  expect(await where(replicas)).toBe('standby-1');
  await replication.standbys[0]!.query('select pg_wal_replay_pause()');
  await write();
  expect(await where(replicas)).toBe('standby-1');
  await replicas.noteCommit();
  expect(await where(replicas)).toBeUndefined();
  await replication.standbys[0]!.query('select pg_wal_replay_resume()');
  await eventually(async () => (await where(replicas)) === 'standby-1');
});

test('a read that brings a position waits for it, no longer than a tenth of a second', async () => {
  const [replicas, other] = [follow(), follow()];
  await Promise.all([isServing(replicas), isServing(other)]);
  await eventually(async () => {
    await replication.standbys[0]!.query('select pg_wal_replay_pause()');
    await write();
    await replicas.noteCommit();
    const reading = where(other, replicas.position());
    await sleep(10);
    await replication.standbys[0]!.query('select pg_wal_replay_resume()');
    // On a busy machine it may have waited for too long already.
    return (await reading) === 'standby-1';
  });
  const startedAt = performance.now();
  expect(await where(other, 'FFFFFF/0')).toBeUndefined();
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(99);
});

test('after a doubt the primary is read until it has told where it is', async () => {
  const replicas = follow();
  await isServing(replicas);
  await replication.caughtUp();
  replicas.doubt();
  expect(await where(replicas)).toBeUndefined();
  await eventually(async () => (await where(replicas)) === 'standby-1');
});

test('the primary itself, and a server of another database, are no standbys', async () => {
  const another = await cloneDatabase();
  const { primary, standbys } = replication;
  const wrongName = standbys[0]!.url.replace(/[^/]*$/, 'postgres');
  const replicas = follow([primary.url, another.url, wrongName, 'postgres://127.0.0.1:1/nothing']);
  await eventually(() => replicas.position() !== undefined && !stateOf(replicas).slice(0, 3).includes('unreachable'));
  expect(stateOf(replicas)).toEqual(['promoted', 'foreign', 'foreign', 'unreachable']);
  expect(await where(replicas)).toBeUndefined();
  // Their pools refuse to write, whatever the server is.
  await expect(replicas.standbys[0]!.pool.query(`insert into notes values (-1, '')`)).rejects.toThrow('read-only');
  await replicas.stop();
});

test('a role that may only select is enough for a standby', async () => {
  await replication.primary.query(
    `create role reader login password 'of a test'; grant select on all tables in schema public to reader`,
  );
  await replication.caughtUp();
  const url = new URL(replication.standbys[0]!.url);
  [url.username, url.password] = ['reader', 'of a test'];
  const replicas = follow([url.href]);
  await isServing(replicas);
  const seen = await replicas.read(async (standby) => (await standby?.pool.query('select current_user as name'))?.rows);
  expect(seen).toEqual([{ name: 'reader' }]);
});

test('a read is repeated whatever a standby throws, but for a statement that takes too long', async () => {
  const replicas = follow();
  await isServing(replicas);
  await replication.caughtUp();
  const throwOnStandby = (error: Error) =>
    replicas.read(async (standby) => {
      if (standby) throw error;
      return 'primary';
    });
  const errorOf = (code: string) => Object.assign(new Error(code), { code });
  for (const code of ['40001', '25006', '0A000', '42P01', 'XX000'])
    expect(await throwOnStandby(errorOf(code))).toBe('primary');
  expect(stateOf(replicas)).toEqual(['serving']);
  await expect(throwOnStandby(errorOf('57014'))).rejects.toThrow('57014');
  for (const code of ['57P01', '57P03', '08006', 'ECONNRESET']) {
    expect(await throwOnStandby(errorOf(code))).toBe('primary');
    expect(stateOf(replicas)).toEqual(['unreachable']);
    await isServing(replicas);
  }
});
