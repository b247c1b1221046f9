import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import type { TestProject } from 'vitest/node';
import { readPidFile } from '../../db/embedded-process.ts';
import { startEmbedded, type Embedded } from '../../db/embedded.ts';
import { readConfig } from '../../shared/kit/config.ts';
import { prepareDatabase } from '../../shared/boot/prepare.ts';
import { launchPgBouncer } from './pgbouncer.ts';
import { chooseTestRoot, makeTestFolder, removeAbandonedFolders } from './folders.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The URL of the test server; its database `template_quayside` is what cloneDatabase copies. */
    databaseServer: string;
    /** The same server by way of the PgBouncer that the variable PGBOUNCER asks for; empty without. */
    pooledServer: string;
    /** Its first process. */
    databaseServerPid: number;
  }
}

let folder = '';
let server: Embedded | undefined;
let pooler: Awaited<ReturnType<typeof launchPgBouncer>> | undefined;

/** Starts one PostgreSQL for the whole run and builds the template database in it. */
export async function setup(project: TestProject): Promise<void> {
  // Inherited by every process of the run.
  process.env['TMPDIR'] = chooseTestRoot();
  await removeAbandonedFolders();
  folder = makeTestFolder();
  // What outlives a test file is kept in it.
  process.env['TEST_FOLDER'] = folder;
  // The processes of a run, which load the same modules, compile each once.
  process.env['NODE_COMPILE_CACHE'] = join(folder, 'compiled');
  server = await startEmbedded({ dataDir: folder, fast: true });
  try {
    await buildTemplate(server.url);
    pooler = await startPooler(server.url, process.env['PGBOUNCER']);
  } catch (error) {
    await teardown();
    throw error;
  }
  project.provide('databaseServer', server.url);
  project.provide('databaseServerPid', readPidFile(join(folder, 'postgres'))?.pid ?? 0);
  project.provide('pooledServer', pooler?.url ?? '');
}

/** With few server connections, and never twice the same in a row, what is left in one shows soon. */
const poolers: Record<string, Record<string, string | number>> = {
  transaction: { pool_mode: 'transaction', default_pool_size: 4, server_round_robin: 1 },
  session: { pool_mode: 'session', default_pool_size: 60 },
};

/** A real PgBouncer for every API of the run, where the variable PGBOUNCER names one of its modes. */
async function startPooler(serverUrl: string, mode: string | undefined) {
  if (!mode) return undefined;
  const settings = poolers[mode];
  if (!settings) throw new Error(`PGBOUNCER: one of ${Object.keys(poolers).join(', ')}`);
  return launchPgBouncer(serverUrl, { ...settings, max_client_conn: 2_000 });
}

export async function teardown(): Promise<void> {
  pooler?.stop();
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
}

/** What every test finds in its database is what a start prepares: the schema, queues and categories. */
async function buildTemplate(serverUrl: string): Promise<void> {
  await execute(serverUrl, 'create database template_quayside');
  const databaseUrl = serverUrl.replace(/[^/]*$/, 'template_quayside');
  await prepareDatabase(databaseUrl, readConfig({ NODE_ENV: 'test', DATABASE_URL: databaseUrl, DATA_DIR: folder }));
  await execute(serverUrl, 'alter database template_quayside with is_template true allow_connections false');
}

async function execute(connectionString: string, sql: string): Promise<void> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
