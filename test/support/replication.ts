import { execFileSync } from 'node:child_process';
import { appendFileSync, chownSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, type QueryResultRow } from 'pg';
import { createDatabase, createPool } from '../../db/client.ts';
import { run } from '../../db/embedded-binaries.ts';
import { openCluster, readAccess, type Cluster } from '../../db/embedded-cluster.ts';
import { disownPidFile, inspectProcess, readPidFile } from '../../db/embedded-process.ts';
import { ensureDatabase, stopServer, urlOf } from '../../db/embedded-server.ts';
import { prepareDatabase } from '../../shared/boot/prepare.ts';
import { readConfig } from '../../shared/kit/config.ts';
import { reservePort } from '../../shared/kit/reserve-port.ts';
import { addWordCaches } from '../../shared/search/search-pool.ts';
import type { TestDatabase } from './database.ts';
import { makeTestFolder } from './folders.ts';
import { eventually } from './waiting.ts';

const common = [
  ...['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'timezone=UTC', 'jit=off', 'fsync=off'],
  ...['max_connections=200', 'shared_buffers=64MB', 'wal_level=replica', 'max_wal_senders=10', 'wal_keep_size=512MB'],
  ...['log_min_messages=log', 'max_parallel_workers_per_gather=0', 'autovacuum=off'],
];

/** A PostgreSQL of its own port, which can be lost and come back. */
export type DatabaseServer = {
  url: string;
  query<Row extends QueryResultRow>(sql: string): Promise<Row[]>;
  /** Of the postmaster. */
  pid(): number;
  /** SIGKILL to the postmaster alone; its children end by themselves. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Sets parameters as ALTER SYSTEM does, and reloads. */
  set(name: string, value: string): Promise<void>;
};

export type Replication = {
  primary: DatabaseServer;
  standbys: DatabaseServer[];
  /** The primary's database, as startApp takes one. */
  database: TestDatabase;
  /** Waits until every standby has replayed what the primary has written. */
  caughtUp(): Promise<void>;
  stop(): Promise<void>;
};

/** A primary with our schema, and hot standbys that stream from it: of the embedded programs, by a copy of the primary's files. */
export async function startReplication(count: number): Promise<Replication> {
  const folder = makeTestFolder();
  const cluster = await openCluster(join(folder, 'data'), true);
  const access = { ...readAccess(join(folder, 'data')), port: await reservePort('127.0.0.1', 0, 0) };
  const primary = serverOf(cluster, access);
  await primary.start();
  await ensureDatabase(access);
  await prepareDatabase(primary.url, readConfig({ NODE_ENV: 'test', DATABASE_URL: primary.url, DATA_DIR: folder }));
  const standbys: DatabaseServer[] = [];
  for (let place = 1; place <= count; place += 1) {
    const copy = {
      ...cluster,
      dataDir: join(folder, `standby-${place}`),
      folder: join(folder, `standby-${place}`, 'postgres'),
    };
    await copyPrimary(primary, cluster, copy, access);
    const standby = serverOf(copy, { ...access, port: await reservePort('127.0.0.1', 0, 0) });
    await standby.start();
    standbys.push(standby);
  }
  const pool = addWordCaches(createPool({ databaseUrl: primary.url, max: 10, applicationName: 'test' }));
  const database: TestDatabase = { url: primary.url, pool, db: createDatabase(pool), drop: async () => pool.end() };
  return {
    ...{ primary, standbys, database },
    async caughtUp() {
      const [now] = await primary.query<{ position: string }>('select pg_current_wal_insert_lsn()::text as position');
      for (const standby of standbys)
        await eventually(async () => {
          const [row] = await standby.query<{ ready: boolean }>(
            `select pg_last_wal_replay_lsn() >= '${now!.position}'::pg_lsn as ready`,
          );
          return row!.ready;
        });
    },
    async stop() {
      await pool.end();
      for (const each of [...standbys.keys()].map((place) => join(folder, `standby-${place + 1}`, 'postgres')))
        await stopServer({ ...cluster, folder: each });
      await stopServer(cluster);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function serverOf(cluster: Cluster, access: { port: number; password: string }): DatabaseServer {
  const url = urlOf(access);
  const { folder, binaries, identity } = cluster;
  const pidOf = () => {
    const file = readPidFile(folder);
    if (!file) throw new Error(`nothing runs in ${folder}`);
    return file.pid;
  };
  async function query<Row extends QueryResultRow>(sql: string): Promise<Row[]> {
    const client = new Client({ connectionString: url, application_name: 'test', connectionTimeoutMillis: 5_000 });
    client.on('error', () => {
      // The query in flight rejects with the same error.
    });
    await client.connect();
    try {
      return (await client.query<Row>(sql)).rows;
    } finally {
      await client.end();
    }
  }
  return {
    url,
    query,
    pid: pidOf,
    async kill() {
      const pid = pidOf();
      process.kill(pid, 'SIGKILL');
      await eventually(() => inspectProcess(pid) !== 'alive');
    },
    async start() {
      const left = readPidFile(folder);
      if (left && inspectProcess(left.pid) !== 'alive') disownPidFile(folder);
      const options = [...common, `port=${access.port}`].map((setting) => `-c ${setting}`).join(' ');
      const log = join(folder, 'server.log');
      const args = ['start', '-s', '-w', '-t', '60', '-D', folder, '-l', log, '-o', options];
      const { code, output } = await run(binaries.pg_ctl, args, identity);
      if (code !== 0)
        throw new Error(
          `PostgreSQL does not start in ${folder}: ${output}\n${readFileSync(log, 'utf8').slice(-1_000)}`,
        );
    },
    async set(name, value) {
      await query(`alter system set ${name} = '${value}'`);
      await query('select pg_reload_conf()');
    },
  };
}

type Access = { port: number; password: string };

/** A standby's files: a base backup of the primary, and the connection to stream from it. */
async function copyPrimary(primary: DatabaseServer, from: Cluster, to: Cluster, { port, password }: Access) {
  const conninfo = `host=127.0.0.1 port=${port} user=postgres password=${password} application_name=${to.dataDir.split('/').at(-1)}`;
  await takeBaseBackup(primary, from, to, { signal: 'standby.signal', settings: { primary_conninfo: conninfo } });
}

type Recovery = { signal: 'standby.signal' | 'recovery.signal'; settings: Record<string, string> };

/** A base backup by pg_backup_start and a copy, as there is no pg_basebackup among the embedded programs, told how to recover. */
async function takeBaseBackup(primary: DatabaseServer, from: Cluster, to: Cluster, { signal, settings }: Recovery) {
  mkdirSync(to.dataDir, { recursive: true });
  const client = new Client({ connectionString: primary.url });
  await client.connect();
  try {
    await client.query(`select pg_backup_start('test', true)`);
    execFileSync('cp', ['-a', from.folder, to.folder]);
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)');
    for (const name of ['postmaster.pid', 'postmaster.opts']) rmSync(join(to.folder, name), { force: true });
    writeFileSync(join(to.folder, 'backup_label'), rows[0]!.labelfile);
    writeFileSync(join(to.folder, signal), '');
    tellSettings(to, settings);
    const { owner } = from.identity;
    if (owner) for (const name of ['backup_label', signal]) chownSync(join(to.folder, name), owner.uid, owner.gid);
  } finally {
    await client.end();
  }
}

/** Adds settings to a server that does not run, as ALTER SYSTEM would. */
function tellSettings({ folder }: Pick<Cluster, 'folder'>, settings: Record<string, string>): void {
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`);
  appendFileSync(join(folder, 'postgresql.auto.conf'), lines.join(''));
}

export type ArchivedServer = {
  primary: DatabaseServer;
  /** Takes a base backup, and answers how to bring it back as it was at a moment: on a server of its own. */
  backUp(): Promise<(moment: Date) => Promise<DatabaseServer>>;
  /** Waits until all that is written so far is in the archive. */
  archived(): Promise<void>;
  stop(): Promise<void>;
};

/** A primary with our schema that archives its write-ahead log. */
export async function startArchivedServer(): Promise<ArchivedServer> {
  const folder = makeTestFolder();
  const cluster = await openCluster(join(folder, 'data'), true);
  const archive = join(folder, 'archive');
  mkdirSync(archive);
  const { owner } = cluster.identity;
  if (owner) chownSync(archive, owner.uid, owner.gid);
  tellSettings(cluster, { archive_mode: 'on', archive_command: `cp %p ${archive}/%f` });
  const access = { ...readAccess(join(folder, 'data')), port: await reservePort('127.0.0.1', 0, 0) };
  const primary = serverOf(cluster, access);
  await primary.start();
  await ensureDatabase(access);
  await prepareDatabase(primary.url, readConfig({ NODE_ENV: 'test', DATABASE_URL: primary.url, DATA_DIR: folder }));
  const copies: Cluster[] = [];
  return {
    primary,
    async backUp() {
      const dataDir = join(folder, `restored-${copies.length + 1}`);
      const copy = { ...cluster, dataDir, folder: join(dataDir, 'postgres') };
      copies.push(copy);
      await takeBaseBackup(primary, cluster, copy, {
        signal: 'recovery.signal',
        settings: {
          archive_mode: 'off',
          restore_command: `cp ${archive}/%f %p`,
          recovery_target_action: 'promote',
        },
      });
      return async (moment) => {
        tellSettings(copy, { recovery_target_time: moment.toISOString().replace('T', ' ').replace('Z', '+00') });
        const restored = serverOf(copy, { ...access, port: await reservePort('127.0.0.1', 0, 0) });
        await restored.start();
        return restored;
      };
    },
    async archived() {
      const [segment] = await primary.query<{ name: string }>('select pg_walfile_name(pg_switch_wal()) as name');
      await eventually(() => existsSync(join(archive, segment!.name)));
    },
    async stop() {
      for (const each of [cluster, ...copies]) await stopServer(each);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
