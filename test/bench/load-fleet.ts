import { execFileSync, spawn } from 'node:child_process';
import { appendFileSync, createWriteStream, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { findRunning } from '../../db/embedded.ts';
import { errorCode } from '../../db/errors.ts';
import { reservePort } from '../../shared/kit/reserve-port.ts';

/** What can be killed: a process of the Procfile, or the server of one database connection. */
export const killable = ['api', 'workers', 'scrapers', 'database'] as const;
export type Part = (typeof killable)[number];

export type LoadFleet = {
  url: string;
  dataDir: string;
  databaseUrl: string;
  /** Sends SIGKILL to one process of the part, chosen by chance; false where none runs. */
  kill(part: Part): boolean;
  /** Memory that is not shared with others, in bytes, by part. */
  readMemory(): Record<Part, number>;
  stop(): Promise<void>;
};

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * `npm start -- --api 2` on a copy of a data directory, its output in `fleet.log` beside it; stopping removes the copy. Where
 * `isMoved`, the directory itself is used up, as there is hardly room for two of it. `settings` are lines for the server's
 * configuration.
 */
export async function startLoadFleet(
  from: string,
  variables: Record<string, string>,
  { settings = [], isMoved = false }: { settings?: string[]; isMoved?: boolean } = {},
): Promise<LoadFleet> {
  const dataDir = mkdtempSync(join(tmpdir(), 'quayside-load-'));
  execFileSync(isMoved ? 'mv' : 'cp', [
    ...(isMoved ? [] : ['-a']),
    join(from, 'postgres'),
    join(from, 'postgres.json'),
    dataDir,
  ]);
  if (isMoved) rmSync(from, { recursive: true });
  appendFileSync(join(dataDir, 'postgres', 'postgresql.auto.conf'), settings.map((line) => `${line}\n`).join(''));
  const port = await reservePort('127.0.0.1', 0, 0);
  const child = spawn(process.execPath, ['shared/boot/launch.js', 'shared/boot/start.ts', '--api', '2'], {
    cwd: root,
    env: { PATH: process.env.PATH, DATA_DIR: dataDir, HOST: '127.0.0.1', PORT: String(port), ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const log = createWriteStream(join(dataDir, 'fleet.log'));
  for (const stream of [child.stdout, child.stderr]) stream.pipe(log, { end: false });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const url = `http://127.0.0.1:${port}`;
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
    rmSync(dataDir, { recursive: true, force: true });
  };
  while (!(await fetch(`${url}/health`).catch(() => undefined))?.ok) {
    if (child.exitCode !== null) throw new Error(`the fleet ended: see ${join(dataDir, 'fleet.log')}`);
    await sleep(200);
  }
  const databaseUrl = await findRunning(dataDir);
  if (!databaseUrl) throw new Error('the fleet runs without its database');
  const find = () => findParts(child.pid!, dataDir);
  return {
    url,
    dataDir,
    databaseUrl,
    kill(part) {
      const pids = find()[part];
      const pid = pids[Math.floor(Math.random() * pids.length)];
      if (pid !== undefined) process.kill(pid, 'SIGKILL');
      return pid !== undefined;
    },
    readMemory() {
      const parts = { ...find(), database: descendantsOf(postmasterOf(dataDir)) };
      const entries = killable.map((part) => [part, parts[part].map(readPrivate).reduce((a, b) => a + b, 0)]);
      return Object.fromEntries(entries) as Record<Part, number>;
    },
    stop,
  };
}

function findParts(pid: number, dataDir: string): Record<Part, number[]> {
  const processes = descendantsOf(pid).map((each) => ({ pid: each, command: read(each, 'cmdline') }));
  const runs = (program: string) =>
    processes.filter(({ command }) => command.includes(program)).map((each) => each.pid);
  return {
    api: runs('api/main.ts'),
    workers: runs('workers/main.ts'),
    scrapers: runs('scrapers/main.ts'),
    database: descendantsOf(postmasterOf(dataDir)).filter((each) => read(each, 'cmdline').includes('127.0.0.1(')),
  };
}

const postmasterOf = (dataDir: string) =>
  Number(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]);

/** The processes below one, as Linux tells them. */
function descendantsOf(pid: number): number[] {
  const parents = new Map<number, number[]>();
  for (const name of readdirSync('/proc').filter((each) => /^\d+$/.test(each))) {
    const stat = read(Number(name), 'stat');
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    parents.set(parent, [...(parents.get(parent) ?? []), Number(name)]);
  }
  const below = (each: number): number[] => (parents.get(each) ?? []).flatMap((child) => [child, ...below(child)]);
  return below(pid);
}

const readPrivate = (pid: number) => Number(/RssAnon:\s+(\d+)/.exec(read(pid, 'status'))?.[1] ?? 0) * 1_024;

/** A file of a process; empty once that has ended. */
function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8').replaceAll('\0', ' ');
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ESRCH') return '';
    throw error;
  }
}
