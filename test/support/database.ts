import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { Client } from 'pg';
import { inject } from 'vitest';
import { createDatabase, createPool, type Database } from '../../db/client.ts';
import { deadlinesOf } from '../../shared/kit/deadlines.ts';
import { addWordCaches, type SearchPool } from '../../shared/search/search-pool.ts';

export type TestDatabase = {
  url: string;
  pool: SearchPool;
  db: Database;
  /** Whoever is connected to it loses the connection. */
  drop(): Promise<void>;
};

/** The settings that lead a process to a database: straight, or through the pooler before the run's server (global-setup.ts). */
export function databaseSettings(url: string): Record<string, string> {
  const pooler = inject('pooledServer');
  const isOfRun = new URL(url).host === new URL(inject('databaseServer')).host;
  if (!pooler || !isOfRun) return { DATABASE_URL: url };
  const pooled = pooler.replace(/[^/]*$/, new URL(url).pathname.slice(1));
  return { DATABASE_URL: pooled, ...(process.env['PGBOUNCER'] === 'transaction' && { DATABASE_DIRECT_URL: url }) };
}

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
  const name = `test_${randomBytes(8).toString('hex')}`;
  // In memory (folders.ts) files are copied in 20 ms of the processor; through the log it takes 50.
  await execute(`create database ${name} template ${template} strategy file_copy`);
  const url = inject('databaseServer').replace(/[^/]*$/, name);
  const pool = addWordCaches(
    createPool({ databaseUrl: url, max, applicationName: 'test', deadlines: deadlinesOf(20) }),
  );
  const database: TestDatabase = {
    url,
    pool,
    db: createDatabase(pool),
    async drop() {
      open.delete(database);
      if (!pool.ended) await pool.end();
      await execute(`drop database ${name} with (force)`);
    },
  };
  open.add(database);
  return database;
}

let server: Client | undefined;

/** On a connection of this process to the server, which is no reason for the process to go on. */
async function execute(statement: string): Promise<void> {
  if (!server) {
    server = new Client({ connectionString: inject('databaseServer') });
    await server.connect();
    (server.connection.stream as Socket).unref();
  }
  await server.query(statement);
}
