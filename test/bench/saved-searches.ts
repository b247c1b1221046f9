import type { Pool } from 'pg';
import { createDatabase, inTransaction } from '../../db/client.ts';
import { buildCatalog } from '../../shared/catalog/tree.ts';
import { profileOf } from '../../shared/profiles/read-profile.ts';
import { priceBand } from '../../shared/saved-searches/filters.ts';
import { snapshotRates } from '../../shared/rates/exchange-rates.ts';
import { matchingPairs, newsTable, matchListings } from '../../shared/saved-searches/match.ts';
import type { SavedQuery } from '../../shared/saved-searches/query.ts';
import { saveSearch } from '../../shared/saved-searches/save.ts';
import { median, quantile } from './api-load.ts';
import { openDataset } from './dataset.ts';
import type { BenchOptions } from './run.ts';

const nautical = profileOf('nautical');

const LISTINGS = 5_000;
/** So many searches are made one by one, as the API makes them; the others are copies of them for other users. */
const MADE = 1_500;
const PER_ROUND = 30;
const TARGET_MS = 50;

type Row = {
  id: string;
  title: string;
  category_id: string;
  country: string;
  city: string;
  price_amount: number;
  attributes: Record<string, unknown>;
  lat: number | null;
  lng: number | null;
};

const catalog = buildCatalog(nautical);
/** Nobody here asks to be told at once, so there are no jobs to send. */
const jobs = { enqueue: () => Promise.reject(new Error('no job is expected')) };
const paths = new Map(catalog.flat().map(({ id, path }) => [id, path]));

/**
 * Measures how long it takes to find the saved searches that one new listing fits, among `n` of them: the indexed pass as
 * matchListings makes it, beside a bare query with the same conditions that reads every search, and beside the whole of
 * matchListings, which is rolled back. All take turns on the same listings over one connection.
 */
export async function benchSavedSearches({ n = 100_000, rounds = 5 }: BenchOptions = {}): Promise<void> {
  const dataset = await openDataset(LISTINGS);
  if (!dataset) return;
  const { pool } = dataset;
  try {
    const { rows } = await pool.query<Row>(
      `select id, title, category_id, country, city, price_amount, attributes, lat, lng from listings where status = 'active' order by md5(id)`,
    );
    await saveSearches(pool, rows, n);
    await measure(pool, rows.slice(0, PER_ROUND * rounds), rounds, n);
  } finally {
    await pool.query('truncate saved_searches cascade');
    await dataset.stop();
  }
}

/** What people look for: something like a listing there is, told by some of its features. */
function queryLike(row: Row, chance: (percent: number) => boolean): SavedQuery {
  const { attributes, price_amount: price } = row;
  const [brand, year, length] = [attributes['brand'], Number(attributes['year']), Number(attributes['length'])];
  const path = catalog.path(row.category_id);
  const word = row.title
    .split(' ')
    .slice(1)
    .find((each) => each.length > 3 && !/\d/.test(each));
  const hasYear = Number.isFinite(year);
  const hasLength = Number.isFinite(length);
  return {
    ...(chance(90) && { category: path[chance(35) ? 0 : path.length - 1] ?? row.category_id }),
    ...(chance(25) && word !== undefined && { q: word }),
    ...(chance(60) && { country: row.country }),
    ...(chance(80) && price > 0 && { max_price: Math.ceil((price * 1.2) / 1_000) * 1_000 }),
    ...(chance(50) && price > 0 && { min_price: Math.floor((price * 0.7) / 1_000) * 1_000 }),
    ...(chance(8) && { city: row.city }),
    ...(chance(12) && row.lat !== null && { near: `${row.lat},${row.lng}`, radius_km: 100 }),
    ...(chance(15) && { type: 'sale' as const }),
    ...(chance(60) && {
      category: row.category_id,
      attr: {
        ...(chance(60) && hasYear && { min_year: year - 5 }),
        ...(chance(40) && hasYear && { max_year: year + 5 }),
        ...(chance(60) && hasLength && { min_length: Math.floor(length - 1), max_length: Math.ceil(length + 1) }),
        ...(chance(40) && typeof brand === 'string' && { brand }),
      },
    }),
  };
}

async function saveSearches(pool: Pool, rows: Row[], n: number): Promise<void> {
  const db = createDatabase(pool);
  const users = await db.selectFrom('users').select('id').execute();
  let state = 7;
  const chance = (percent: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state / 2 ** 32) * 100 < percent;
  };
  await pool.query('truncate saved_searches cascade');
  const made = Math.min(MADE, n, users.length * 100);
  console.error(`Saving ${n} searches …`);
  for (let start = 0; start < made; start += 500) {
    await inTransaction(db, async (tx) => {
      for (let index = start; index < Math.min(made, start + 500); index += 1) {
        const query = queryLike(rows[index % rows.length]!, chance);
        const userId = users[index % users.length]!.id;
        await saveSearch(tx, catalog, new Date(), { userId, name: 'x', query, notify: 'daily' });
      }
    });
  }
  const { rows: columns } = await pool.query<{ name: string }>(
    `select column_name as name from information_schema.columns
     where table_schema = 'public' and table_name = 'saved_search_filters' and column_name not in ('saved_search_id', 'user_id')`,
  );
  const names = columns.map(({ name }) => name).join(', ');
  const copies = Math.ceil(n / made) - 1;
  const copied = (table: string, id: string) =>
    `${table} cross join generate_series(1, ${copies}) as copy where ${id} not like '%-%' order by copy, ${id}`;
  await pool.query(`insert into saved_searches (id, user_id, name, query_params, notify, created_at)
    select id || '-' || copy, user_id, name, query_params, notify, created_at from ${copied('saved_searches', 'id')}`);
  await pool.query(`insert into saved_search_filters (saved_search_id, user_id, ${names})
    select saved_search_id || '-' || copy, user_id, ${names} from ${copied('saved_search_filters', 'saved_search_id')}`);
  await pool.query('vacuum (analyze) saved_searches, saved_search_filters');
}

const indexed = `with ${newsTable} select f.saved_search_id from ${matchingPairs}`;
const bare = indexed
  .replace('f.key = any(n.keys) and ', '')
  .replace('select f.saved_search_id', 'select distinct f.saved_search_id');

async function measure(pool: Pool, rows: Row[], rounds: number, n: number): Promise<void> {
  const client = await pool.connect();
  const db = createDatabase(pool);
  const fresh = ({ id, category_id, price_amount }: Row) => [
    JSON.stringify([
      { listing_id: id, reason: 'new', path: paths.get(category_id) ?? [], band: String(priceBand(price_amount)) },
    ]),
    JSON.stringify({ EUR: 1, ...snapshotRates.rates }),
  ];
  const passes = {
    indexed: async (row: Row) =>
      (await client.query({ name: 'indexed', text: indexed, values: fresh(row) })).rowCount ?? 0,
    bare: async (row: Row) => (await client.query({ name: 'bare', text: bare, values: fresh(row) })).rowCount ?? 0,
    whole: async (row: Row) => matchAndForget(db, row.id),
  };
  const times = { indexed: [] as number[][], bare: [] as number[][], whole: [] as number[][] };
  let found = 0;
  try {
    for (const row of rows.slice(0, 10)) for (const pass of Object.values(passes)) await pass(row);
    for (let round = 0; round < rounds; round += 1) {
      for (const name of ['indexed', 'bare', 'whole'] as const) times[name].push([]);
      for (const row of rows.slice(round * PER_ROUND, (round + 1) * PER_ROUND)) {
        const counts = [];
        for (const name of ['indexed', 'bare', 'whole'] as const) {
          const startedAt = performance.now();
          counts.push(await passes[name](row));
          times[name].at(-1)?.push(performance.now() - startedAt);
        }
        if (new Set(counts).size > 1) throw new Error(`${row.id}: the passes found ${counts.join(', ')} searches`);
        found += counts[0] ?? 0;
      }
    }
  } finally {
    client.release();
  }
  report(times, n, found / rows.length);
}

/** As a worker does it, but nothing of it stays. */
async function matchAndForget(db: ReturnType<typeof createDatabase>, id: string): Promise<number> {
  const undo = new Error('undo');
  let matches = 0;
  await inTransaction(db, async (tx) => {
    matches = await matchListings(tx, { catalog, jobs }, new Date(), [{ listing_id: id, reason: 'new' }]);
    throw undo;
  }).catch((error: unknown) => {
    if (error !== undo) throw error;
  });
  return matches;
}

function report(times: Record<'indexed' | 'bare' | 'whole', number[][]>, n: number, found: number): void {
  const at = (name: keyof typeof times, share: number) =>
    median(times[name].map((round) => quantile(Float64Array.from(round).toSorted(), share)));
  const ratio = median(times.indexed.map((round, index) => median(round) / median(times.bare[index] ?? [])));
  const verdict = at('indexed', 0.99) <= TARGET_MS ? 'met' : 'MISSED';
  console.log(`One new listing against ${n} saved searches, of which ${found.toFixed(0)} fit on average:`);
  console.log(
    `the indexed pass takes ${ratio.toFixed(2)} of the bare query's time (target ${TARGET_MS} ms at p99: ${verdict})`,
  );
  for (const name of ['indexed', 'bare', 'whole'] as const)
    console.log(
      `  ${name.padEnd(8)} p50 ${at(name, 0.5).toFixed(2).padStart(8)} ms  p99 ${at(name, 0.99).toFixed(2).padStart(8)} ms`,
    );
}
