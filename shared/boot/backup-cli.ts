import './require-node.js';
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { exportDatabase, type ExportSummary } from '../../db/backup.ts';
import { readConfigOrExit } from '../kit/config.ts';
import { createProgressPrinter, withDatabase } from './database-cli.ts';

// npm run backup [-- FILE]: a file appears under its name only when it is complete.
const config = readConfigOrExit();
const stamp = new Date().toISOString().slice(0, 19).replaceAll(':', '-');
const file = resolve(process.argv[2] ?? join(config.dataDir, 'backups', `quayside-${stamp}.backup.gz`));
const partial = `${file}.partial`;

await withDatabase(config, async (databaseUrl) => {
  const startedAt = performance.now();
  mkdirSync(dirname(file), { recursive: true });
  try {
    const { tables, rows, bytes } = await writeBackup(databaseUrl);
    renameSync(partial, file);
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
    console.log(
      `${file}: ${rows.toLocaleString('en')} rows of ${tables} tables, ${(bytes / 1e6).toFixed(1)} MB in ${seconds} s`,
    );
  } finally {
    rmSync(partial, { force: true });
  }
});

async function writeBackup(databaseUrl: string): Promise<ExportSummary> {
  await using handle = await open(partial, 'w', 0o600);
  const summary = await exportDatabase(databaseUrl, (chunk) => handle.writeFile(chunk), {
    onProgress: createProgressPrinter(console.log),
  });
  await handle.sync();
  return summary;
}
