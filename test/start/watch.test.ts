import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { cloneDatabase } from '../support/database.ts';
import { endAll, newFolder, run, service } from './support.ts';

afterEach(endAll);

test('npm run dev starts a process anew when its sources change, all of them for what they share, and drains them before', async () => {
  const folder = newFolder();
  const { url } = await cloneDatabase();
  for (const name of ['api', 'workers', 'scrapers', 'shared', 'db']) mkdirSync(join(folder, name));
  writeFileSync(join(folder, 'openapi.yaml'), '');
  writeFileSync(join(folder, 'Procfile'), `workers: node ${service} steps\nscrapers: node ${service} steps\n`);
  const start = join(import.meta.dirname, '../../shared/boot/start.ts');
  const running = run([start, '--watch'], folder, { DATABASE_URL: url, DATA_DIR: join(folder, 'data'), PORT: '0' });
  const begun = () =>
    ['workers', 'scrapers'].map(
      (name) => running.lines.filter((line) => new RegExp(`^${name} +\\| steps runs as`).test(line)).length,
    );
  await expect.poll(begun, { timeout: 120_000 }).toEqual([1, 1]);

  writeFileSync(join(folder, 'workers/notes.txt'), 'no source');
  writeFileSync(join(folder, 'workers/send-email.ts'), '');
  await expect.poll(begun, { timeout: 120_000 }).toEqual([2, 1]);
  expect(running.lines.filter((line) => line.startsWith('Sources'))).toEqual(['Sources have changed: workers']);
  expect(running.lines).toContain('workers  | third');

  writeFileSync(join(folder, 'shared/prices.ts'), '');
  await expect.poll(begun, { timeout: 120_000 }).toEqual([3, 2]);
  running.child.kill('SIGINT');
  expect(await running.end()).toBe(0);
  expect(running.lines.join('\n')).not.toContain('starts again in');
}, 400_000);
