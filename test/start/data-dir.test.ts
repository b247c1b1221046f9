import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { cloneDatabase } from '../support/database.ts';
import { endAll, newFolder, run, startSupervisor, type Running } from './support.ts';

afterEach(endAll);

const root = join(import.meta.dirname, '../..');
const { url } = await cloneDatabase();
const isRoot = process.getuid?.() === 0;

const ending = async (running: Running) => [await running.end(), running.stderr, running.stdout];

/** How the supervisor on the embedded database ends, and an API process alone: their exit codes and all they say. */
async function endsWith(dataDir: string, runAs?: number) {
  const supervisor = startSupervisor(newFolder(), { api: 'api' }, { DATA_DIR: dataDir }, 'node', runAs);
  const environment = { DATA_DIR: dataDir, DATABASE_URL: url, PORT: '0' };
  const api = run([join(root, 'api/main.ts')], newFolder(), environment, { runAs });
  return { supervisor: await ending(supervisor), api: await ending(api) };
}

const refusal = (line: string) => ({ supervisor: [78, [line], ['Stopping …', 'Stopped.']], api: [78, [line], []] });

test('a DATA_DIR that is a file, or below one, is refused in one line', async () => {
  const file = join(newFolder(), 'file');
  writeFileSync(file, 'something else');
  const reason = 'cannot be used: it, or what is above it, is not a folder';
  expect(await endsWith(file)).toEqual(refusal(`DATA_DIR: ${file} ${reason} (EEXIST)`));
  expect(await endsWith(join(file, 'data'))).toEqual(refusal(`DATA_DIR: ${join(file, 'data')} ${reason} (ENOTDIR)`));
});

test('a DATA_DIR that may not be written is refused in one line', async () => {
  const folder = newFolder();
  chmodSync(folder, 0o555);
  const dataDir = join(folder, 'data');
  expect(await endsWith(dataDir, isRoot ? 65_534 : undefined)).toEqual(
    refusal(`DATA_DIR: ${dataDir} cannot be used: EACCES: permission denied`),
  );
});

test('a DATA_DIR whose parents are missing is made with them', async () => {
  const dataDir = join(newFolder(), 'not/there/yet');
  const running = startSupervisor(newFolder(), { api: 'api' }, { DATA_DIR: dataDir, DATABASE_URL: url });
  await running.line(/Quayside is ready/);
  expect(existsSync(join(dataDir, 'secrets.json'))).toBe(true);
});

test('damaged secrets are told in one line, which says what to do', async () => {
  const dataDir = newFolder();
  writeFileSync(join(dataDir, 'secrets.json'), '{"jwtSecret":');
  expect(await endsWith(dataDir)).toEqual(
    refusal(
      `DATA_DIR: ${dataDir}/secrets.json is damaged: put it back from a backup, or remove it, which ends every session`,
    ),
  );
});

test('a full DATA_DIR is refused in one line, also when only the database has no room in it', async ({ skip }) => {
  const disk = join(newFolder(), 'disk');
  mkdirSync(disk);
  const mount = (size: string) =>
    spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=755`, 'tmpfs', disk]).status;
  const unmount = () => spawnSync('umount', ['-l', disk]);
  if (mount('32k') !== 0) {
    console.warn('SKIPPED: a small file system cannot be mounted here');
    return skip();
  }
  const dataDir = join(disk, 'data');
  try {
    expect(await endsWith(dataDir)).toEqual(
      refusal(`DATA_DIR: ${dataDir} cannot be used: ENOSPC: no space left on device`),
    );
    unmount();
    mount('20m');
    const running = startSupervisor(newFolder(), { api: 'api' }, { DATA_DIR: dataDir });
    expect(await running.end()).toBe(1);
    expect(running.stderr[0]).toMatch(
      /^DATA_DIR: PostgreSQL cannot be initialised in .*: (?:ERROR|FATAL|PANIC): +could not \w+ file/,
    );
  } finally {
    unmount();
  }
});
