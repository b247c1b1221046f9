import { spawn } from 'node:child_process';
import { chownSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { makeTestFolder } from './folders.ts';
import { freePort } from './processes.ts';

const program = '/usr/sbin/pgbouncer';
const nobody = 65_534;

/** False where Debian's PgBouncer is not installed, which is told loudly. */
export function isPgBouncerInstalled(): boolean {
  const installed = existsSync(program);
  if (!installed) console.warn(`SKIPPED: ${program} is not installed`);
  return installed;
}

/** As launchPgBouncer, until the test ends; answers the URL of the database behind it. */
export async function startPgBouncer(databaseUrl: string, settings: Settings): Promise<string> {
  const { url, stop } = await launchPgBouncer(databaseUrl, settings);
  onTestFinished(stop);
  return url;
}

type Settings = Record<string, string | number>;

/** A PgBouncer with its default settings but for these, in front of the databases of a server. */
export async function launchPgBouncer(databaseUrl: string, settings: Settings) {
  const { hostname, port: serverPort, pathname, username, password } = new URL(databaseUrl);
  const port = await freePort();
  const folder = makeTestFolder();
  const users = join(folder, 'users.txt');
  const configuration = join(folder, 'pgbouncer.ini');
  const own = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'scram-sha-256',
    auth_file: users,
  };
  const lines = Object.entries({ ...own, ...settings }).map(([name, value]) => `${name} = ${value}\n`);
  writeFileSync(users, `"${username}" "${password}"\n`);
  writeFileSync(configuration, `[databases]\n* = host=${hostname} port=${serverPort}\n[pgbouncer]\n${lines.join('')}`);
  // PgBouncer refuses to run as root.
  const isRoot = process.getuid?.() === 0;
  if (isRoot) for (const file of [users, configuration]) chownSync(file, nobody, nobody);
  const child = spawn(program, [configuration], {
    stdio: ['ignore', 'ignore', 'pipe'],
    ...(isRoot && { uid: nobody, gid: nobody }),
  });
  let said = '';
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`PgBouncer ended: ${said}`)));
    child.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      if (said.includes('process up')) resolve();
    });
  });
  return {
    /** The database behind it. */
    url: `postgres://${username}:${password}@127.0.0.1:${port}${pathname}`,
    stop: () => void child.kill('SIGKILL'),
  };
}
