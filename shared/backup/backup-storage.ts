import { exportDatabase, type ExportOptions, type ExportSummary } from '../../db/backup.ts';
import type { Storage } from '../adapters/storage.ts';

const FOLDER = 'backups/';
const made = /^backups\/quayside-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(-\w+)?\.backup\.gz$/;

/** How many backups stay in the storage; older ones make room. */
export const KEPT_BACKUPS = 7;

export type StoredBackup = ExportSummary & { file: string };

/** Exports the database into the storage; the file is there only once it is whole. `label` keeps two of one second apart. */
export async function storeBackup(
  storage: Storage,
  databaseUrl: string,
  { now, label, ...options }: ExportOptions & { now: Date; label: string },
): Promise<StoredBackup> {
  const stamp = now.toISOString().slice(0, 19).replaceAll(':', '-');
  const file = `${FOLDER}quayside-${stamp}-${label}.backup.gz`;
  const unfinished = await storage.begin(file, { contentType: 'application/gzip' });
  try {
    const summary = await exportDatabase(databaseUrl, (chunk) => unfinished.write(chunk), options);
    await unfinished.finish();
    return { file, ...summary };
  } catch (error) {
    await unfinished.abandon();
    throw error;
  }
}

/** Deletes all but the newest backups that jobs have made, and answers how many; other files stay. */
export async function pruneBackups(storage: Storage): Promise<number> {
  const files = (await Array.fromAsync(storage.list(FOLDER))).map(({ key }) => key).filter((key) => made.test(key));
  const old = files.toSorted().toReversed().slice(KEPT_BACKUPS);
  await storage.delete(old);
  return old.length;
}
