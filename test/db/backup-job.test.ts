import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { inTransaction } from '../../db/client.ts';
import { importDatabase } from '../../db/restore.ts';
import type { Storage } from '../../shared/adapters/storage.ts';
import { createPrivateStorage } from '../../shared/adapters/create-storage.ts';
import { syncBackupSchedule } from '../../shared/backup/backup-schedule.ts';
import { verifyBackup } from '../../shared/backup/verify-backup.ts';
import { KEPT_BACKUPS } from '../../shared/backup/backup-storage.ts';
import { backupDatabase } from '../../workers/backup-database.ts';
import { startApp, type Client, type TestApp } from '../support/app.ts';
import { createEmptyDatabase } from '../support/database.ts';
import { startS3, type S3ServerStub } from '../support/s3-server.ts';
import { startWorkers, type TestWorkers } from '../support/workers.ts';

let app: TestApp;
let admin: Client;
let s3: S3ServerStub;
beforeAll(async () => {
  app = await startApp();
  admin = app.as(await app.createUser({ role: 'admin' }));
  s3 = await startS3();
});
afterAll(async () => {
  await s3.close();
  await app.close();
});
beforeEach(async () => {
  await app.database.pool.query(`delete from pgboss.job where name = 'backup-database'; delete from runs`);
});

const runs = async () =>
  (await app.database.pool.query(`select status, total, counters, error from runs where kind = 'backup' order by id`))
    .rows;

/** Keeps everybody else from reading a table, and tells when somebody wants to. */
async function holdTable(table: string) {
  const { pool } = app.database;
  const client = await pool.connect();
  await client.query(`begin; lock table ${table} in access exclusive mode`);
  const waiting = `select count(*)::int as count from pg_locks where not granted and relation = $1::regclass`;
  return {
    awaited: async () => {
      await expect.poll(async () => (await pool.query(waiting, [table])).rows[0].count).toBeGreaterThan(0);
    },
    release: async () => {
      await client.query('commit');
      client.release();
    },
  };
}

describe.each(['disk', 'S3'])('a backup to %s', (kind) => {
  let workers: TestWorkers;
  let storage: Storage;
  beforeAll(async () => {
    workers = await startWorkers(app, { env: kind === 'S3' ? { s3: s3.config } : {} });
    storage = await createPrivateStorage(workers.services.config);
  });
  afterAll(() => workers.close());

  test('that the schedule starts is restored into a scratch database, which is dropped again', async () => {
    await syncBackupSchedule(app.services.jobs.boss, '17 3 * * *');
    expect(await app.services.jobs.boss.getSchedules('backup-database')).toMatchObject([{ cron: '17 3 * * *' }]);
    const jobId = await app.services.jobs.boss.send('backup-database', {});
    expect(await workers.work('backup-database')).toMatchObject([{ status: 'completed' }]);
    const job = await admin.get(`/api/admin/jobs/${jobId}`);
    expect(job.body.result).toMatchObject({ file: expect.any(String), verified: 'restored' });
    const { body } = await admin.get('/api/admin/run-history?kind=backup');
    expect(body.results).toMatchObject([{ trigger: 'schedule', status: 'succeeded' }]);
    const left = await app.database.pool.query(
      `select datname from pg_database where datname like 'quayside_verify_%'`,
    );
    expect(left.rows).toEqual([]);
    await syncBackupSchedule(app.services.jobs.boss, undefined);
    expect(await app.services.jobs.boss.getSchedules('backup-database')).toEqual([]);
  });

  test('is queued, counted, stored privately and can be restored from the storage', async () => {
    const started = await admin.post('/api/admin/backup');
    expect(started).toMatchObject({ status: 202, body: { job_id: expect.any(String), status: 'queued' } });
    expect(await workers.work('backup-database')).toMatchObject([{ status: 'completed' }]);
    const job = await admin.get(`/api/admin/jobs/${started.body.job_id}`);
    expect(job.body).toMatchObject({
      state: 'completed',
      progress: 100,
      result: { file: expect.stringMatching(/^backups\/quayside-.*\.backup\.gz$/), pruned: 0 },
    });
    const { file, rows } = job.body.result;
    expect(await runs()).toEqual([{ status: 'succeeded', total: rows, counters: { done: rows }, error: null }]);
    expect((await admin.get(`/static/${file}`)).status).toBe(404);

    const target = await createEmptyDatabase();
    const source = await storage.read(file);
    expect(await importDatabase(target.url, source!)).toMatchObject({ rows });
    const { rows: users } = await target.pool.query('select count(*) from users');
    expect(users).toEqual((await app.database.pool.query('select count(*) from users')).rows);
    await target.drop();
  });

  test('makes room by deleting the oldest, and only what a job has made', async () => {
    const old = Array.from(
      { length: KEPT_BACKUPS + 2 },
      (_, day) => `backups/quayside-2001-01-1${day}T00-00-00.backup.gz`,
    );
    for (const key of [...old, 'backups/by-hand.gz'])
      await storage.put(key, Buffer.from('x'), { contentType: 'application/gzip', cacheControl: 'private' });
    await admin.post('/api/admin/backup');
    await workers.work('backup-database');
    const left = (await Array.fromAsync(storage.list('backups/'))).map(({ key }) => key);
    expect(left).toHaveLength(KEPT_BACKUPS + 1);
    expect(left).toContain('backups/by-hand.gz');
    expect(left).not.toContain(old[0]);
  });

  test('that is stopped leaves no file', async () => {
    const before = (await Array.fromAsync(storage.list('backups/'))).length;
    const { body } = await admin.post('/api/admin/backup');
    const stop = new AbortController();
    await workers.work('backup-database', async (services, payload, context) => {
      const held = await holdTable('listings');
      const backup = backupDatabase(services, payload, { ...context, signal: stop.signal });
      backup.catch(() => {});
      await held.awaited();
      stop.abort(new Error('stop'));
      await held.release();
      return backup;
    });
    expect((await admin.get(`/api/admin/jobs/${body.job_id}`)).body).toMatchObject({ state: 'retry', progress: null });
    expect((await Array.fromAsync(storage.list('backups/'))).length).toBe(before);
    expect(await runs()).toMatchObject([{ status: 'running' }]);
    if (kind === 'disk') expect(readdirSync(join(app.dataDir, 'private/.unfinished'))).toEqual([]);
  });
});

test('409 while a backup is queued or running', async () => {
  expect((await admin.post('/api/admin/backup')).status).toBe(202);
  expect((await admin.post('/api/admin/backup')).status).toBe(409);
  await app.database.pool.query(`update pgboss.job set state = 'active' where name = 'backup-database'`);
  expect((await admin.post('/api/admin/backup')).status).toBe(409);
});

test('a running backup tells how far it is, and one that was cancelled ends its run as cancelled', async () => {
  const workers = await startWorkers(app);
  const { body } = await admin.post('/api/admin/backup');
  await workers.work('backup-database', async (services, payload, context) => {
    await app.database.pool.query(`update runs set status = 'running', total = 120, counters = '{"done": 30}'`);
    expect((await admin.get(`/api/admin/jobs/${body.job_id}`)).body).toMatchObject({ state: 'active', progress: 25 });
    await admin.post(`/api/admin/jobs/${body.job_id}/cancel`);
    return backupDatabase(services, payload, { ...context, signal: AbortSignal.abort(new Error('cancelled')) });
  });
  expect((await admin.get(`/api/admin/jobs/${body.job_id}`)).body.state).toBe('cancelled');
  expect(await runs()).toMatchObject([{ status: 'cancelled' }]);
  await workers.close();
});

test('a run whose process died twice gives way to the next backup', async () => {
  const workers = await startWorkers(app);
  const { body } = await admin.post('/api/admin/backup');
  await app.database.pool.query(`update runs set status = 'running'`);
  await app.database.pool.query(`update pgboss.job set state = 'failed' where id = $1`, [body.job_id]);
  expect((await admin.post('/api/admin/backup')).status).toBe(202);
  expect(await workers.work('backup-database')).toMatchObject([{ status: 'completed' }]);
  const error = 'The process that worked on it was lost.';
  expect(await runs()).toMatchObject([{ status: 'failed', error }, { status: 'succeeded' }]);
  await workers.close();
});

test('a last try that fails ends the run with its error', async () => {
  const workers = await startWorkers(app, {
    env: { s3: { ...s3.config, endpoint: 'http://127.0.0.1:1' } },
  });
  await admin.post('/api/admin/backup');
  const output = { error: 'The file storage is unavailable.' };
  expect(await workers.work('backup-database')).toMatchObject([{ status: 'failed', output }]);
  expect(await runs()).toMatchObject([{ status: 'running', error: null }]);
  await app.database.pool.query(`update pgboss.job set start_after = now() where name = 'backup-database'`);
  expect(await workers.work('backup-database')).toMatchObject([{ status: 'deadletter', output }]);
  expect(await runs()).toMatchObject([{ status: 'failed', error: output.error }]);
  await workers.close();
});

test('a job that the release before has queued opens its run by itself, once however often it is tried', async () => {
  const workers = await startWorkers(app);
  const { db, jobs } = app.services;
  await inTransaction(db, (tx) => jobs.enqueue(tx, 'backup-database', { requested_by: 'usr_1' }, { key: 'backup' }));
  await workers.work('backup-database', (services, payload, context) =>
    backupDatabase(services, payload, { ...context, signal: AbortSignal.abort(new Error('stop')) }),
  );
  expect(await runs()).toMatchObject([{ status: 'running' }]);
  expect(await workers.work('backup-database')).toMatchObject([{ status: 'completed' }]);
  expect(await runs()).toMatchObject([{ status: 'succeeded' }]);
  await workers.close();
});

test('a backup that cannot be restored fails its verification, and leaves no scratch database', async () => {
  const storage = await createPrivateStorage(app.services.config);
  const file = 'backups/quayside-2026-01-01T00-00-00-damaged.backup.gz';
  await storage.put(file, Buffer.from('no backup'), { contentType: 'application/gzip', cacheControl: 'private' });
  await expect(verifyBackup(storage, file, app.database.url, 'run_damaged')).rejects.toThrow('damaged or cut off');
  const left = await app.database.pool.query(`select datname from pg_database where datname like 'quayside_verify_%'`);
  expect(left.rows).toEqual([]);
  await storage.delete([file]);
});

test('a schedule that never comes due is refused with a line that names the variable', async () => {
  await expect(syncBackupSchedule(app.services.jobs.boss, '0 0 31 2 *')).rejects.toThrow(/^BACKUP_SCHEDULE: /);
  await expect(syncBackupSchedule(app.services.jobs.boss, '99 0 * * *')).rejects.toThrow(/^BACKUP_SCHEDULE: /);
});
