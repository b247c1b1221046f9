import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client } from 'pg';
import { afterEach, expect, test } from 'vitest';
import { EmbeddedError } from '../../db/embedded-binaries.ts';
import { readPidFile } from '../../db/embedded-process.ts';
import { findRunning, startEmbedded, type Embedded, type EmbeddedOptions } from '../../db/embedded.ts';
import { makeTestFolder } from '../support/folders.ts';

const folders: string[] = [];
const running: Embedded[] = [];

afterEach(async () => {
  for (const server of running.splice(0)) await server.stop();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function newFolder(): string {
  const folder = makeTestFolder();
  folders.push(folder);
  return folder;
}

async function start(options: EmbeddedOptions): Promise<Embedded> {
  const server = await startEmbedded({ fast: true, ...options });
  running.push(server);
  return server;
}

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

async function firstLine(stream: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface(stream)) return line;
  throw new Error('it ended without a line');
}

const postmaster = (folder: string) => readPidFile(join(folder, 'postgres'))?.pid;

test('the first start makes a UTF-8 database with checksums that only this machine and its password can reach', async () => {
  const folder = newFolder();
  const { url } = await start({ dataDir: folder, fast: false });
  const [row] = await query(
    url,
    `select current_database() as name, current_setting('server_encoding') as encoding, datlocprovider as provider,
            datlocale as locale, current_setting('data_checksums') as checksums, current_setting('fsync') as fsync,
            current_setting('synchronous_commit') as synchronous, current_setting('timezone') as zone,
            current_setting('listen_addresses') as addresses, current_setting('unix_socket_directories') as sockets
     from pg_database where datname = current_database()`,
  );
  expect(row).toEqual({
    name: 'quayside',
    encoding: 'UTF8',
    provider: 'b',
    locale: 'C.UTF-8',
    checksums: 'on',
    fsync: 'on',
    synchronous: 'on',
    zone: 'UTC',
    addresses: '127.0.0.1',
    sockets: '',
  });
  expect(statSync(join(folder, 'postgres.json')).mode & 0o777).toBe(0o600);
  expect(statSync(join(folder, 'postgres')).mode & 0o777).toBe(0o700);
  await expect(query(url.replace(/:[^:@]+@/, ':wrong@'), 'select 1')).rejects.toMatchObject({ code: '28P01' });
});

test('a server whose owner was killed is adopted with its data, then stopped', async () => {
  const folder = newFolder();
  const owner = spawn(process.execPath, [join(import.meta.dirname, 'fixtures/own-embedded.ts'), folder]);
  const url = await firstLine(owner.stdout);
  await query(url, `create table kept as select 1 as one`);
  const before = postmaster(folder);
  owner.kill('SIGKILL');
  await once(owner, 'exit');

  const server = await start({ dataDir: folder });
  expect(server.url).toBe(url);
  expect(postmaster(folder)).toBe(before);
  expect(await findRunning(folder)).toBe(url);
  expect(await query(url, 'select one from kept')).toEqual([{ one: 1 }]);
  await server.stop();
  expect(await findRunning(folder)).toBeUndefined();
  await expect(query(url, 'select 1')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

test('of two first starts at once one owns the server and the other is told so', async () => {
  const folder = newFolder();
  const outcomes = await Promise.allSettled([start({ dataDir: folder }), start({ dataDir: folder })]);
  const owners = outcomes.filter((outcome) => outcome.status === 'fulfilled');
  const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
  expect(owners).toHaveLength(1);
  expect(refused.map(({ reason }) => reason as unknown)).toEqual([
    new EmbeddedError('Another start of this service already runs on the same DATA_DIR.'),
  ]);
  expect(await query(owners[0]!.value.url, 'select 1 as one')).toEqual([{ one: 1 }]);
});

test('a server that dies is started again on its port', async () => {
  const folder = newFolder();
  const back = Promise.withResolvers<string>();
  const { url } = await start({ dataDir: folder, onEvent: back.resolve });
  const died = postmaster(folder)!;
  process.kill(died, 'SIGKILL');
  expect(await back.promise).toBe('PostgreSQL is back.');
  expect(postmaster(folder)).not.toBe(died);
  expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }]);
});

test('a pid file left by a dead, an unreaped or another process does not stop the start', async () => {
  const folder = newFolder();
  const pidPath = join(folder, 'postgres', 'postmaster.pid');
  const first = await start({ dataDir: folder });
  const pidFile = readFileSync(pidPath, 'utf8');
  await first.stop();

  const parent = spawn('sh', ['-c', 'true & echo $!; exec sleep 60']);
  const zombie = await firstLine(parent.stdout);
  for (const pid of ['2147483646', zombie, String(process.pid)]) {
    writeFileSync(pidPath, pidFile.replace(/^\d+/, pid));
    const server = await start({ dataDir: folder });
    expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    await server.stop();
  }
  parent.kill();
});

test('a folder that holds no database is left alone, and said in one line', async () => {
  const folder = newFolder();
  mkdirSync(join(folder, 'postgres'));
  const file = join(folder, 'postgres', 'precious');
  writeFileSync(file, 'mine');
  await expect(start({ dataDir: folder })).rejects.toThrow(/^.* holds no complete database: [^\n]*$/);
  expect(readFileSync(file, 'utf8')).toBe('mine');
});

test.skipIf(process.getuid?.() !== 0)('root can keep the database in a folder closed to everybody else', async () => {
  const folder = newFolder();
  chmodSync(folder, 0o700);
  const { url } = await start({ dataDir: join(folder, 'data') });
  expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }]);
  expect(statSync(join(folder, 'data', 'postgres')).uid).not.toBe(0);
});
