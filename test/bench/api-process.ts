import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseProcfile } from '../../shared/boot/supervise.ts';
import type { Dataset } from './dataset.ts';

/** The API as the Procfile starts it. */
export const apiScript = parseProcfile(readFileSync(new URL('../../Procfile', import.meta.url), 'utf8')).find(
  ({ name }) => name === 'api',
)!.args;

const root = fileURLToPath(new URL('../..', import.meta.url));
const TICKS_PER_SECOND = 100;

/** A server in a process of its own. CPU time is that of the process alone, without its database. */
export type ServerProcess = { name: string; port: number; cpuMs(): number; rssBytes(): number; stop(): Promise<void> };

/** Starts a script with these Node options and variables, its log going to a file, and waits until it answers. */
export async function startServer(
  name: string,
  script: string[],
  env: Record<string, string>,
  { dataDir, probe }: { dataDir: string; probe: string },
): Promise<ServerProcess> {
  const port = await freePort();
  const log = openSync(join(dataDir, `${name}.log`), 'w');
  const child = spawn(process.execPath, script, {
    cwd: root,
    env: { PATH: process.env.PATH, HOST: '127.0.0.1', PORT: String(port), ...env },
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const killed = () => child.kill('SIGKILL');
  process.once('exit', killed);
  const server: ServerProcess = {
    name,
    port,
    ...processUse(child.pid!),
    async stop() {
      child.kill('SIGKILL');
      await exited;
      process.off('exit', killed);
    },
  };
  for (let attempt = 0; attempt < 600; attempt += 1) {
    if (child.exitCode !== null) break;
    const answer = await fetch(`http://127.0.0.1:${port}${probe}`).catch(() => undefined);
    if (answer?.ok) return server;
    await sleep(100);
  }
  await server.stop();
  throw new Error(`${name} does not answer ${probe}; see ${join(dataDir, `${name}.log`)}`);
}

/** What a process uses, as Linux tells it: CPU time so far, memory now. */
export function processUse(pid: number): Pick<ServerProcess, 'cpuMs' | 'rssBytes'> {
  return {
    cpuMs() {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return ((Number(fields[11]) + Number(fields[12])) * 1_000) / TICKS_PER_SECOND;
    },
    rssBytes: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1_024,
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
}

/** What every server of a run is given, so that the same listing is the same bytes, and no limit holds any of them up. */
export const environmentOf = ({ databaseUrl, dataDir }: Pick<Dataset, 'databaseUrl' | 'dataDir'>) => ({
  NODE_ENV: 'production',
  DATABASE_URL: databaseUrl,
  DATA_DIR: dataDir,
  BASE_URL: 'https://bench.example',
  JWT_SECRET: 'only for this benchmark',
  RATE_LIMIT_MULTIPLIER: '1000000',
});
