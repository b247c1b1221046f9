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

/** A PgBouncer with its default settings but for these, in front of a database; answers the URL of the database behind it. */
export async function startPgBouncer(databaseUrl: string, settings: Record<string, string | number>): Promise<string> {
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
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`PgBouncer ended: ${said}`)));
    child.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      if (said.includes('process up')) resolve();
    });
  });
  return `postgres://${username}:${password}@127.0.0.1:${port}${pathname}`;
}
