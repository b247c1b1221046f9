import { existsSync } from 'node:fs';
import { importDatabase } from '../db/restore.ts';
import { readConfigOrExit } from './config.ts';
import { createProgressPrinter, withDatabase } from './database-cli.ts';

// npm run restore -- FILE: into an empty database (a new DATA_DIR, or a new database in DATABASE_URL).
const file = process.argv[2];
if (!file || !existsSync(file)) {
  console.error(file ? `There is no file ${file}.` : 'Usage: npm run restore -- FILE');
  process.exit(1);
}

await withDatabase(readConfigOrExit(), async (databaseUrl) => {
  const startedAt = performance.now();
  const { tables, rows, migrated } = await importDatabase(databaseUrl, file, createProgressPrinter(console.log));
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  console.log(`Restored ${rows.toLocaleString('en')} rows of ${tables} tables in ${seconds} s.`);
  if (migrated.length > 0) console.log(`Migrated to this release: ${migrated.join(', ')}`);
});
