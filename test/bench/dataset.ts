import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import type { Pool } from 'pg';
import { addWordCaches, type SearchPool } from '../../shared/search/search-pool.ts';
import { createDatabase, createPool } from '../../db/client.ts';
import { startEmbedded } from '../../db/embedded.ts';
import { readConfig } from '../../shared/kit/config.ts';
import { geocode } from '../../shared/places/geocode.ts';
import { addToVocabulary } from '../../shared/search/query/vocabulary.ts';
import { prepareDatabase } from '../../shared/boot/prepare.ts';
import { dataFile } from '../support/data.ts';
import { multiplyListings } from './dataset-copies.ts';
import { makeListing, makeSeller, readBoats, SELLERS, type Boat } from './dataset-rows.ts';

export type Dataset = { databaseUrl: string; pool: SearchPool; dataDir: string; stop(): Promise<void> };

/** Raise it when the rows are made in another way. */
const VERSION = 3;
const BATCH = 2_000;
/** Of more listings than these the rest are copies. */
const MAX_MADE = 100_000;
/** Of more listings than these the copies are slim. */
const MAX_WHOLE = 1_000_000;
const PREFIX = 'quayside-bench-';

/**
 * A database of `count` listings made from the rows of two real boat markets, on an embedded server with its everyday
 * settings. Built once, which takes a while, then found again in the temporary folder and brought forward by the migrations
 * it does not know yet; undefined where the data is absent.
 */
export async function openDataset(count: number): Promise<Dataset | undefined> {
  const boats = boatsOfData();
  if (!boats) return undefined;
  const known = findBuilt(count);
  const schema = fingerprints().at(-1) ?? '';
  const dataDir = known ?? join(tmpdir(), `${PREFIX}${schema}-${count}`);
  if (!known) await removeHalfBuilt(count);
  mkdirSync(dataDir, { recursive: true });
  const originals = known || count <= MAX_MADE || count % MAX_MADE > 0 ? undefined : findStopped(MAX_MADE);
  if (originals) execFileSync('cp', ['-a', join(originals, 'postgres'), join(originals, 'postgres.json'), dataDir]);
  const server = await startEmbedded({ dataDir });
  const pool = addWordCaches(
    createPool({ databaseUrl: server.url, max: 4, applicationName: 'bench', deadlines: { statement: 0 } }),
  );
  const stop = async () => {
    await pool.end();
    await server.stop();
  };
  try {
    if (!known) await build(pool, server.url, originals ? [] : boats(), count);
    else if (stateOf(dataDir) !== schema) await bringForward(pool, server.url);
    writeFileSync(join(dataDir, 'complete'), schema);
  } catch (error) {
    await stop();
    throw error;
  }
  return { databaseUrl: server.url, pool, dataDir, stop };
}

/** Fills an empty database with the same listings; false where the data is absent. */
export async function fillDatabase(pool: Pool, databaseUrl: string, count: number): Promise<boolean> {
  const boats = boatsOfData();
  if (boats) await build(pool, databaseUrl, boats(), count);
  return boats !== undefined;
}

function boatsOfData(): (() => Boat[]) | undefined {
  const [trader, specs] = [
    'boats-boattrader-2019/boattrader_newest.csv.gz',
    'boats-boat24-2022-specs/boat24_specs.dev.csv.gz',
  ].map(dataFile);
  return trader && specs ? () => [...readBoats(unzip(trader)), ...readBoats(unzip(specs))] : undefined;
}

/** A built dataset whose schema today's migrations begin with, or are. */
function findBuilt(count: number): string | undefined {
  const usable = new Set(fingerprints());
  const built = foldersOf(count).filter((folder) => existsSync(join(folder, 'complete')));
  for (const folder of built.filter((each) => !usable.has(stateOf(each))))
    console.error(`${folder} has another schema than these migrations lead to, and is left alone.`);
  return built.find((folder) => usable.has(stateOf(folder)));
}

/** A built dataset whose files no server is about to change. */
function findStopped(count: number): string | undefined {
  const built = findBuilt(count);
  return built && existsSync(join(built, 'postgres', 'postmaster.pid')) ? undefined : built;
}

/** How the rows of a built dataset were made, and its migrations: in its marker, in the name of the folder at first. */
const stateOf = (folder: string) =>
  readFileSync(join(folder, 'complete'), 'utf8').trim() || (/([0-9a-f]{12})-\d+$/.exec(folder)?.[1] ?? '');

async function bringForward(pool: Pool, databaseUrl: string): Promise<void> {
  console.error('Bringing the listings there are forward to the newest schema …');
  await prepareDatabase(databaseUrl, readConfig({ NODE_ENV: 'test', DATABASE_URL: databaseUrl }));
  await locateListings(pool);
  await pool.query('vacuum (analyze)');
  await pool.query('checkpoint');
}

/**
 * Gives listings without coordinates those of their city, or a place of their own in Europe where the city is unknown. Past
 * the triggers, which coordinates are nothing to.
 */
async function locateListings(pool: Pool): Promise<void> {
  const cities = await pool.query<{ country: string; city: string }>(
    'select distinct country, city from listings where lat is null',
  );
  if (cities.rows.length === 0) return;
  console.error('Locating the listings …');
  const found = cities.rows.flatMap((row) => {
    const coordinates = geocode(row);
    return coordinates ? [{ ...row, ...coordinates }] : [];
  });
  const size = await pool.query<{ blocks: number }>(
    `select (pg_relation_size('listings') / current_setting('block_size')::int)::int as blocks`,
  );
  const client = await pool.connect();
  try {
    await client.query('set session_replication_role = replica');
    for (let block = 0; block < (size.rows[0]?.blocks ?? 0); block += BLOCKS) {
      const range = [`(${block},0)`, `(${block + BLOCKS},0)`];
      await client.query(locateByCity, [JSON.stringify(found), ...range]);
      await client.query(scatter, range);
    }
    await client.query('set session_replication_role = origin');
  } finally {
    client.release();
  }
}

/** So much of the table is changed at a time. */
const BLOCKS = 4_000;

const locateByCity = `update listings l set lat = f.lat, lng = f.lng, geocoded = true
  from jsonb_to_recordset($1::jsonb) as f (country text, city text, lat float8, lng float8)
  where l.ctid >= $2::tid and l.ctid < $3::tid and l.lat is null and f.country = l.country and f.city = l.city`;
const scatter = `update listings l
  set lat = 36 + (abs(hashtext(l.id)) % 24000) / 1000.0, lng = -10 + (abs(hashtext(l.slug)) % 30000) / 1000.0
  where l.ctid >= $1::tid and l.ctid < $2::tid and l.lat is null`;

/** Without boats the originals are there. */
async function build(pool: Pool, databaseUrl: string, boats: Boat[], count: number): Promise<void> {
  const times = Math.ceil(count / MAX_MADE);
  if (boats.length > 0) await make(pool, databaseUrl, boats, Math.ceil(count / times));
  else await prepareDatabase(databaseUrl, readConfig({ NODE_ENV: 'test', DATABASE_URL: databaseUrl }));
  if (times > 1) await multiplyListings(pool, times, { isSlim: count > MAX_WHOLE });
  console.error('Vacuuming …');
  await pool.query('vacuum (analyze)');
  await pool.query('checkpoint');
}

async function make(pool: Pool, databaseUrl: string, boats: Boat[], count: number): Promise<void> {
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
    await addToVocabulary(
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
  await pool.query('select fold_facet_counts()');
  await locateListings(pool);
}

async function insert(pool: Pool, table: 'users' | 'listings', rows: Record<string, unknown>[]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {});
  await pool.query(
    `insert into ${table} (${columns.join(', ')}) select ${columns.join(', ')} from jsonb_populate_recordset(null::${table}, $1::jsonb)`,
    [JSON.stringify(rows)],
  );
}

/** What a dataset depends on, for each number of migrations: how the rows are made, and the schema they are in. */
function fingerprints(): string[] {
  const folder = fileURLToPath(new URL('../../db/migrations/', import.meta.url));
  const hash = createHash('sha256').update(String(VERSION));
  return readdirSync(folder)
    .toSorted()
    .map((name) =>
      hash
        .update(readFileSync(join(folder, name)))
        .copy()
        .digest('hex')
        .slice(0, 12),
    );
}

const foldersOf = (count: number) =>
  readdirSync(tmpdir())
    .filter((name) => new RegExp(`^${PREFIX}[0-9a-f]{12}-${count}$`).test(name))
    .map((name) => join(tmpdir(), name));

/** Makes room: a half-built dataset is of no use. */
async function removeHalfBuilt(count: number): Promise<void> {
  for (const folder of foldersOf(count).filter((each) => !existsSync(join(each, 'complete')))) {
    // A benchmark that was killed leaves its server behind; one that still runs refuses to share it, and this throws.
    if (existsSync(join(folder, 'postgres', 'postmaster.pid'))) await (await startEmbedded({ dataDir: folder })).stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

const unzip = (path: string) => gunzipSync(readFileSync(path)).toString('utf8');
