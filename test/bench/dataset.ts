import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import type { Pool } from 'pg';
import { createDatabase, createPool } from '../../db/client.ts';
import { startEmbedded } from '../../db/embedded.ts';
import { readConfig } from '../../shared/config.ts';
import { addWords } from '../../shared/listings/search-words.ts';
import { prepareDatabase } from '../../shared/prepare.ts';
import { dataFile } from '../support/data.ts';
import { makeListing, makeSeller, readBoats, SELLERS, type Boat } from './dataset-rows.ts';

export type Dataset = { databaseUrl: string; pool: Pool; dataDir: string; stop(): Promise<void> };

/** Raise it when the rows are made in another way. */
const VERSION = 3;
const BATCH = 2_000;
const PREFIX = 'quayside-bench-';

/**
 * A database of `count` listings made from the rows of two real boat markets, on an embedded server with its everyday
 * settings. Built once per schema and count, then found again in the temporary folder; undefined where the data is absent.
 */
export async function openDataset(count: number): Promise<Dataset | undefined> {
  const files = [
    'boats-boattrader-2019/boattrader_newest.csv.gz',
    'boats-boat24-2022-specs/boat24_specs.dev.csv.gz',
  ].map(dataFile);
  const [trader, specs] = files;
  if (!trader || !specs) return undefined;
  const dataDir = join(tmpdir(), `${PREFIX}${fingerprint()}-${count}`);
  const marker = join(dataDir, 'complete');
  const complete = existsSync(marker);
  if (!complete) await removeUseless(count);
  mkdirSync(dataDir, { recursive: true });
  const server = await startEmbedded({ dataDir });
  const pool = createPool({ databaseUrl: server.url, max: 4, applicationName: 'bench', statementTimeoutMs: 0 });
  const stop = async () => {
    await pool.end();
    await server.stop();
  };
  try {
    if (!complete) {
      const boats = [...readBoats(unzip(trader)), ...readBoats(unzip(specs))];
      await build(pool, server.url, boats, count);
      writeFileSync(marker, '');
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return { databaseUrl: server.url, pool, dataDir, stop };
}

async function build(pool: Pool, databaseUrl: string, boats: Boat[], count: number): Promise<void> {
  await prepareDatabase(databaseUrl, readConfig({ NODE_ENV: 'test', DATABASE_URL: databaseUrl }));
  await insert(
    pool,
    'users',
    Array.from({ length: SELLERS }, (_, index) => makeSeller(index)),
  );
  const db = createDatabase(pool);
  const startedAt = Date.now();
  for (let from = 0; from < count; from += BATCH) {
    const rows = Array.from({ length: Math.min(BATCH, count - from) }, (_, index) =>
      makeListing(boats, from + index, count),
    );
    await insert(pool, 'listings', rows);
    await addWords(
      db,
      rows.map((row) => String(row.id)),
    );
    if (from % 50_000 === 0)
      console.error(`${from} of ${count} listings, ${Math.round((Date.now() - startedAt) / 1_000)} s`);
  }
  await pool.query(
    `insert into listing_views select id, abs(hashtext(id)) % 2000 from listings where hashtext(id) % 5 <> 0`,
  );
  await pool.query(`insert into listing_rewrites (listing_id, locale, status, description, updated_at)
    select id, 'de', 'completed', 'Auf Deutsch: ' || description, created_at from listings where hashtext(id) % 20 = 0`);
  await pool.query(
    `insert into listing_counts select category_id, status, sum(n) from listing_count_deltas group by 1, 2`,
  );
  await pool.query('truncate listing_count_deltas');
  await pool.query('vacuum (analyze)');
  await pool.query('checkpoint');
}

async function insert(pool: Pool, table: 'users' | 'listings', rows: Record<string, unknown>[]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {});
  await pool.query(
    `insert into ${table} (${columns.join(', ')}) select ${columns.join(', ')} from jsonb_populate_recordset(null::${table}, $1::jsonb)`,
    [JSON.stringify(rows)],
  );
}

/** What the rows depend on: how they are made, and the schema they are in. */
function fingerprint(): string {
  const folder = fileURLToPath(new URL('../../db/migrations/', import.meta.url));
  const hash = createHash('sha256').update(String(VERSION));
  for (const name of readdirSync(folder).toSorted()) hash.update(readFileSync(join(folder, name)));
  return hash.digest('hex').slice(0, 12);
}

/** Makes room: a half-built dataset, and those of the same size with another schema, are of no use any more. */
async function removeUseless(count: number): Promise<void> {
  for (const name of readdirSync(tmpdir()).filter((each) =>
    new RegExp(`^${PREFIX}[0-9a-f]{12}-${count}$`).test(each),
  )) {
    const folder = join(tmpdir(), name);
    // A benchmark that was killed leaves its server behind; one that still runs refuses to share it, and this throws.
    if (existsSync(join(folder, 'postgres', 'postmaster.pid'))) await (await startEmbedded({ dataDir: folder })).stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

const unzip = (path: string) => gunzipSync(readFileSync(path)).toString('utf8');
