import './require-node.js';
import { createReadStream, existsSync } from 'node:fs';
import { importDatabase } from '../../db/restore.ts';
import { directSetting } from '../../db/session.ts';
import { createPrivateStorage } from '../adapters/create-storage.ts';
import { readConfigOrExit } from '../kit/config.ts';
import { createProgressPrinter, withDatabase } from './database-cli.ts';

// npm run restore -- FILE: into an empty database (a new DATA_DIR, or a new database in DATABASE_URL). FILE is a path, or
// what a backup job calls its file in the storage.
const config = readConfigOrExit();
const file = process.argv[2];
if (!file) fail('Usage: npm run restore -- FILE');
const source = await openBackup(file);
if (!source) fail(`There is no file ${file}.`);

await withDatabase(config, async (databaseUrl) => {
  const startedAt = performance.now();
  const tell = createProgressPrinter(console.log);
  const { tables, rows, migrated } = await importDatabase(databaseUrl, source, tell, directSetting(config));
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  console.log(`Restored ${rows.toLocaleString('en')} rows of ${tables} tables in ${seconds} s.`);
  if (migrated.length > 0) console.log(`Migrated to this release: ${migrated.join(', ')}`);
});

async function openBackup(name: string): Promise<AsyncIterable<Buffer> | undefined> {
  if (existsSync(name)) return createReadStream(name);
  const storage = await createPrivateStorage(config);
  return storage.read(name).catch((error: unknown) => fail(error instanceof Error ? error.message : String(error)));
}

function fail(line: string): never {
  console.error(line);
  process.exit(1);
}
