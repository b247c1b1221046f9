import type { Pool } from 'pg';
import { Gauge, type Registry } from 'prom-client';
import { readDisk } from '../admin/troubles.ts';

/**
 * What is stored and how full its disk is: `quayside_database_size_bytes`, `quayside_disk_free_bytes` and `quayside_disk_size_bytes`
 * (the disk of `dataDir`), and `quayside_backup_last_success_timestamp_seconds` (0 when no backup was ever made).
 */
export function registerStores(registry: Registry, pool: Pool, dataDir: string): void {
  const register = (name: string, help: string, read: () => Promise<number>) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        this.set(await read());
      },
    });
  register('quayside_database_size_bytes', 'Size of the database on disk.', () =>
    readNumber(pool, 'metrics-database', `select pg_database_size(current_database())::float8 as n`),
  );
  register(
    'quayside_backup_last_success_timestamp_seconds',
    'When the last backup ended well, in Unix seconds; 0 when none did.',
    () =>
      readNumber(
        pool,
        'metrics-backup',
        `select coalesce(extract(epoch from max(finished_at)), 0)::float8 as n from runs where kind = 'backup' and status = 'succeeded'`,
      ),
  );
  register('quayside_disk_free_bytes', 'Bytes that are free on the disk of DATA_DIR.', async () => {
    return (await readDisk(dataDir)).free_bytes;
  });
  register('quayside_disk_size_bytes', 'Size of the disk of DATA_DIR.', async () => {
    return (await readDisk(dataDir)).total_bytes;
  });
}

async function readNumber(pool: Pool, name: string, text: string): Promise<number> {
  const { rows } = await pool.query<{ n: number }>({ name, text });
  return rows[0]?.n ?? 0;
}
