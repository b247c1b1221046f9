import { BackupError, type Progress } from '../../db/backup-format.ts';
import { EmbeddedError } from '../../db/embedded-binaries.ts';
import { findRunning, startEmbedded, type Embedded } from '../../db/embedded.ts';
import { isRefusal, type Config } from '../kit/config.ts';
import { asDataDirError } from '../kit/data-dir.ts';

const progressEveryMs = 2_000;

/**
 * Runs `work` on the configured database, past a pooler (DATABASE_DIRECT_URL, else DATABASE_URL), or the embedded one, which is
 * started for as long as the work takes unless the service runs already. A failure the operator can mend is one line and exit code 1.
 */
export async function withDatabase(config: Config, work: (databaseUrl: string) => Promise<void>): Promise<void> {
  let embedded: Embedded | undefined;
  const interrupt = () => void Promise.resolve(embedded?.stop()).then(() => process.exit(130));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, interrupt);
  try {
    const url = config.directDatabaseUrl ?? (await findRunning(config.dataDir));
    embedded = url ? undefined : await startEmbedded({ dataDir: config.dataDir });
    await work(url ?? embedded!.url);
  } catch (thrown) {
    const error = asDataDirError(thrown, config.dataDir);
    const mendable = isRefusal(error) || error instanceof BackupError || error instanceof EmbeddedError;
    console.error(mendable ? error.message : error);
    process.exitCode = 1;
  } finally {
    await embedded?.stop();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, interrupt);
  }
}

/** Prints a line for every table that has rows, and now and then one while a table takes long. */
export function createProgressPrinter(print: (line: string) => void): (progress: Progress) => void {
  let printedAt = performance.now();
  let finished = '';
  return ({ table, rows, totalRows }) => {
    const complete = rows === totalRows && rows > 0;
    if (complete ? finished === table : performance.now() - printedAt < progressEveryMs) return;
    if (complete) finished = table;
    printedAt = performance.now();
    print(`  ${table}: ${rows.toLocaleString('en')} of ${totalRows.toLocaleString('en')} rows`);
  };
}
