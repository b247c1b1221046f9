import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { inject } from 'vitest';
import { createDatabase, createPool, type Database } from '../../db/client.ts';
import { addWordCaches, type SearchPool } from '../../shared/search/search-pool.ts';

export type TestDatabase = { url: string; pool: SearchPool; db: Database; drop(): Promise<void> };

/** The settings that lead a process to a database: straight, or through the pooler before the run's server (global-setup.ts). */
export function databaseSettings(url: string): Record<string, string> {
  const pooler = inject('pooledServer');
  const isOfRun = new URL(url).host === new URL(inject('databaseServer')).host;
  if (!pooler || !isOfRun) return { DATABASE_URL: url };
  const pooled = pooler.replace(/[^/]*$/, new URL(url).pathname.slice(1));
  return { DATABASE_URL: pooled, ...(process.env['PGBOUNCER'] === 'transaction' && { DATABASE_DIRECT_URL: url }) };
}

const cloneLock = 5_163_880_219;
const open = new Set<TestDatabase>();

/** Drops what a test file has left open. */
export async function dropDatabases(): Promise<void> {
  for (const database of open) await database.drop();
}

/** A database of this test file alone: a copy of the migrated, seeded template. Dropped after the file's last test. */
export function cloneDatabase(options: { max?: number } = {}): Promise<TestDatabase> {
  return createTestDatabase('template_quayside', options);
}

/** As cloneDatabase, but without any table. */
export function createEmptyDatabase(options: { max?: number } = {}): Promise<TestDatabase> {
  return createTestDatabase('template0', options);
}

async function createTestDatabase(template: string, { max = 10 }: { max?: number }): Promise<TestDatabase> {
  const server = inject('databaseServer');
  const name = `test_${randomBytes(8).toString('hex')}`;
  await onServer(server, async (client) => {
    await client.query('select pg_advisory_lock($1)', [cloneLock]);
    await client.query(`create database ${name} template ${template} strategy file_copy`);
  });
  const url = server.replace(/[^/]*$/, name);
  const pool = addWordCaches(createPool({ databaseUrl: url, max, applicationName: 'test' }));
  const database: TestDatabase = {
    url,
    pool,
    db: createDatabase(pool),
    async drop() {
      open.delete(database);
      if (!pool.ended) await pool.end();
      await onServer(server, (client) => client.query(`drop database ${name} with (force)`));
    },
  };
  open.add(database);
  return database;
}

async function onServer(connectionString: string, work: (client: Client) => Promise<unknown>): Promise<void> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
