import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { cloneDatabase, createEmptyDatabase } from '../support/database.ts';
import { endAll, newFolder, run } from './support.ts';

afterEach(endAll);

const script = (name: string) => join(import.meta.dirname, '../../shared/boot', name);
const source = await cloneDatabase();

test('a backup of a server is restored into the embedded database of a new DATA_DIR, and refused a second time', async () => {
  const folder = newFolder();
  const file = join(folder, 'it.backup.gz');
  const backup = run([script('backup-cli.ts'), file], folder, { DATABASE_URL: source.url });
  expect(await backup.end()).toBe(0);
  expect(backup.lines.at(-1)).toMatch(/it\.backup\.gz: [\d,]+ rows of \d+ tables, [\d.]+ MB in [\d.]+ s$/);
  expect(statSync(file).mode & 0o777).toBe(0o600);

  const restore = run([script('restore-cli.ts'), file], folder, { DATA_DIR: join(folder, 'data') });
  expect(await restore.end()).toBe(0);
  const { rows } = await source.pool.query('select count(*) from categories');
  expect(restore.lines).toContain(`  categories: ${rows[0].count} of ${rows[0].count} rows`);
  expect(existsSync(join(folder, 'data/postgres/postmaster.pid'))).toBe(false);

  const again = run([script('restore-cli.ts'), file], folder, { DATA_DIR: join(folder, 'data') });
  expect(await again.end()).toBe(1);
  expect(again.lines).toEqual([expect.stringMatching(/^The database is not empty/)]);
});

test('a backup without a name goes to DATA_DIR/backups', async () => {
  const folder = newFolder();
  const backup = run([script('backup-cli.ts')], folder, { DATABASE_URL: source.url, DATA_DIR: folder });
  expect(await backup.end()).toBe(0);
  const path = backup.lines.at(-1)!.split(': ')[0]!;
  expect(path.startsWith(join(folder, 'backups', 'quayside-'))).toBe(true);
  expect(existsSync(path)).toBe(true);
});

test('a file that is no backup is refused in one line, and nothing is made of a missing one', async () => {
  const { url } = await createEmptyDatabase();
  const wrong = run([script('restore-cli.ts'), script('restore-cli.ts')], newFolder(), { DATABASE_URL: url });
  expect(await wrong.end()).toBe(1);
  expect(wrong.lines).toEqual([expect.stringMatching(/backup is damaged or cut off/)]);
  const missing = run([script('restore-cli.ts'), 'nowhere.gz'], newFolder(), { DATABASE_URL: url });
  expect(await missing.end()).toBe(1);
  expect(missing.lines).toEqual(['There is no file nowhere.gz.']);
});
