import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { errorCode } from './errors.ts';
import { EmbeddedError, run } from './embedded-binaries.ts';
import { failureIn, readAccess, rememberPort, type Access, type Cluster } from './embedded-cluster.ts';
import { disownPidFile, inspectProcess, readPidFile } from './embedded-process.ts';

const startTimeoutMs = 60_000;

const commonSettings = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'max_connections=100',
  'timezone=UTC',
  'jit=off',
  'random_page_cost=1.1',
  // Parallel plans need room in /dev/shm, which containers keep small, and the few cores have other work.
  'max_parallel_workers_per_gather=0',
  'max_parallel_maintenance_workers=0',
  // The service logs its own errors; statements and their values stay out of the server's log.
  'log_min_messages=log',
  'log_error_verbosity=terse',
  'log_checkpoints=off',
];
/** What this machine has, or this container may use, in MiB. */
const memory = Math.floor(Math.min(totalmem(), process.constrainedMemory() || Infinity) / 1_048_576);
const durableSettings = [
  // A quarter of it, as PostgreSQL's manual advises; pages that nobody reads take none.
  `shared_buffers=${Math.max(128, Math.min(2_048, Math.floor(memory / 4)))}MB`,
  `effective_cache_size=${Math.max(512, Math.floor(memory / 2))}MB`,
  'work_mem=8MB',
  'maintenance_work_mem=128MB',
  'max_wal_size=2GB',
  'checkpoint_timeout=15min',
  'wal_compression=on',
];
const fastSettings = [
  'max_connections=200',
  'shared_buffers=128MB',
  'fsync=off',
  'synchronous_commit=off',
  'full_page_writes=off',
  'wal_level=minimal',
  'max_wal_senders=0',
  'max_wal_size=1GB',
  'autovacuum=off',
];

/** The URL of a database of the server; only this machine can reach it. */
export function urlOf({ port, password }: Access, database = 'quayside'): string {
  return `postgres://postgres:${password}@127.0.0.1:${port}/${database}`;
}

/** Adopts the server of the cluster or starts it, and answers how to reach it. */
export async function ensureRunning(cluster: Cluster, fast: boolean): Promise<Access> {
  let reason = '';
  for (let attempt = 0; attempt < 4; attempt += 1) {
    await sleep(attempt * 300);
    const adopted = await adopt(cluster.dataDir);
    if (adopted) return adopted;
    const { port: remembered, password } = readAccess(cluster.dataDir);
    const port = await pickPort(remembered);
    rememberPort(cluster.dataDir, port);
    const { code, output } = await start(cluster, port, fast);
    if (code === 0) return { port, password };
    reason = failureIn(`${logTail(cluster)}\n${output}`);
  }
  throw new EmbeddedError(`DATA_DIR: PostgreSQL does not start in ${cluster.folder}: ${reason}`);
}

/** Ends the server: first politely (open transactions roll back), then at once. Returns when it is gone. */
export async function stopServer({ folder, binaries, identity }: Cluster): Promise<void> {
  for (const mode of ['fast', 'immediate']) {
    const pidFile = readPidFile(folder);
    if (!pidFile || inspectProcess(pidFile.pid) !== 'alive') return;
    const { code } = await run(binaries.pg_ctl, ['stop', '-s', '-w', '-t', '20', '-m', mode, '-D', folder], identity);
    if (code === 0) return;
  }
  throw new EmbeddedError(`PostgreSQL in ${folder} does not stop: end its process by hand.`);
}

/** How to reach the server that runs on this data folder; waits while it starts, recovers or stops. Undefined when none runs. */
export async function adopt(dataDir: string): Promise<Access | undefined> {
  const folder = join(dataDir, 'postgres');
  const deadline = Date.now() + startTimeoutMs;
  for (;;) {
    const pidFile = existsSync(folder) ? readPidFile(folder) : undefined;
    if (!pidFile) return undefined;
    const state = inspectProcess(pidFile.pid);
    if (state === 'zombie' || state === 'foreign') disownPidFile(folder);
    if (state !== 'alive') return undefined;
    const access = { ...readAccess(dataDir), port: pidFile.port };
    if (pidFile.port > 0 && (await answers(access))) return access;
    if (Date.now() > deadline)
      throw new EmbeddedError(
        `PostgreSQL (process ${pidFile.pid}) holds ${folder} but does not answer: end that process.`,
      );
    await sleep(50);
  }
}

function start({ folder, binaries, identity }: Cluster, port: number, fast: boolean) {
  const settings = [...commonSettings, ...(fast ? fastSettings : durableSettings), `port=${port}`];
  const options = settings.map((setting) => `-c ${setting}`).join(' ');
  const wait = ['-s', '-w', '-t', String(startTimeoutMs / 1_000)];
  return run(binaries.pg_ctl, ['start', ...wait, '-D', folder, '-l', logPath(folder), '-o', options], identity);
}

function logPath(folder: string): string {
  return join(folder, 'server.log');
}

function logTail({ folder }: Cluster): string {
  if (!existsSync(logPath(folder))) return '';
  return readFileSync(logPath(folder), 'utf8').trim().split('\n').slice(-20).join('\n');
}

async function answers(access: Access): Promise<boolean> {
  try {
    await query(urlOf(access, 'postgres'), 'select 1');
    return true;
  } catch (error) {
    if (errorCode(error) !== '28P01') return false;
    throw new EmbeddedError('postgres.json in DATA_DIR does not hold the password of the database beside it.', {
      cause: error,
    });
  }
}

/** Makes the database `quayside` when the server lacks it. */
export async function ensureDatabase(access: Access): Promise<void> {
  try {
    await query(urlOf(access), 'select 1');
  } catch (error) {
    if (errorCode(error) !== '3D000') throw error;
    await query(urlOf(access, 'postgres'), 'create database quayside');
  }
}

async function query(connectionString: string, sql: string): Promise<void> {
  const client = new Client({ connectionString, connectionTimeoutMillis: 2_000 });
  client.on('error', () => {
    // The query in flight rejects with the same error.
  });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

async function pickPort(remembered: number): Promise<number> {
  return (await tryListen(remembered)) ?? (await tryListen(0)) ?? remembered;
}

function tryListen(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' ? address?.port : undefined));
    });
  });
}
