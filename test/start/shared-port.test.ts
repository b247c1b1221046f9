import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { cloneDatabase } from '../support/database.ts';
import { endAll, newFolder, run } from './support.ts';

const root = join(import.meta.dirname, '../..');
afterEach(endAll);

const childrenOf = (pid: number) =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);

const start = (folder: string, args: string[], environment: Record<string, string> = {}) =>
  run([join(root, 'shared/boot/start.ts'), ...args], folder, {
    PATH: process.env['PATH'] ?? '',
    DATA_DIR: join(folder, 'data'),
    PORT: '0',
    ...environment,
  });

test('two API processes share a port: both listen, and when one is killed the other answers every request', async () => {
  const folder = newFolder();
  writeFileSync(join(folder, 'Procfile'), `api: node ${root}/api/main.ts\n`);
  const { url } = await cloneDatabase();
  const fleet = start(folder, ['--api', '2'], { DATABASE_URL: url, JWT_SECRET: 'a secret of this test alone' });
  const [, port] = await fleet.line(/API +http:\/\/localhost:(\d+)/);
  for (const line of [/^api +\| .*the API is listening/, /^api-2 +\| .*the API is listening/]) await fleet.line(line);
  const ask = async () => (await fetch(`http://127.0.0.1:${port}/health`, { headers: { connection: 'close' } })).status;
  const statuses = async () => new Set(await Promise.all(Array.from({ length: 20 }, ask)));
  expect(await statuses()).toEqual(new Set([200]));
  process.kill(childrenOf(fleet.child.pid!).at(-1)!, 'SIGKILL');
  await fleet.line(/^api-2 +\| ended \(SIGKILL\), starts again/);
  expect(await statuses()).toEqual(new Set([200]));
});

test('an argument that is not known ends the start with one line', async () => {
  for (const [args, line] of [
    [['--api', 'many'], /^--api: must be a number from 1 to 64$/],
    [['--apis'], /^Unknown option '--apis'/],
  ] as const) {
    const ended = start(newFolder(), [...args]);
    await ended.line(line);
    expect(await ended.end()).toBe(1);
  }
});
