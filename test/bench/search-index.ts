import { readFileSync } from 'node:fs';
import type { Pool } from 'pg';
import { createPool } from '../../db/client.ts';
import { buildCatalog } from '../../shared/catalog/tree.ts';
import { profileOf } from '../../shared/profiles/read-profile.ts';
import { readFilters, type FilterQuery } from '../../shared/search/filters.ts';
import { createIndexState } from '../../shared/search/index-state.ts';
import { openIndex } from '../../shared/search/open-index.ts';
import { createPostgresEngine } from '../../shared/search/postgres/engine.ts';
import { readFacets } from '../../shared/search/postgres/facet.ts';
import type { Search, Sort } from '../../shared/search/search.ts';
import { addWordCaches } from '../../shared/search/search-pool.ts';
import { createCollection, nameCollection, pointTo } from '../../shared/search/typesense/collections.ts';
import { createTypesenseEngine } from '../../shared/search/typesense/engine.ts';
import { indexListings } from '../../shared/search/typesense/sync.ts';
import { writeTerms } from '../../shared/search/typesense/terms.ts';
import { startTypesenseServer } from '../support/typesense-server.ts';
import { openDataset, type Dataset } from './dataset.ts';
import type { BenchOptions } from './run.ts';

const nautical = profileOf('nautical');

const DEFAULT = 100_000;
/** The stand-in looks at every document for each search: a page of cards costs PostgreSQL the same, however many there are. */
const INDEXED = 100;
const REQUESTS = 100;

const catalog = buildCatalog(nautical);

const searches: { name: string; query: FilterQuery; sort: Sort; facets?: string }[] = [
  { name: 'newest', query: {}, sort: 'newest' },
  { name: 'category, price', query: { category: 'sailboats', min_price: 20_000 }, sort: 'price_asc' },
  { name: 'a common word', query: { q: 'boat' }, sort: 'relevance' },
  { name: 'two words', query: { q: 'sea ray' }, sort: 'relevance' },
  { name: 'a word, facets', query: { q: 'boat' }, sort: 'relevance', facets: 'category,country,condition' },
  { name: 'a circle by distance', query: { near: '54,10', radius_km: 2_000 }, sort: 'distance' },
];

/**
 * What a search costs PostgreSQL, by itself and where an index answers: statements, and milliseconds of processor time of the one
 * backend that serves them. The index is the stand-in of the tests: of its own speed nothing is said.
 */
export async function benchSearchIndex({ n = DEFAULT }: BenchOptions = {}): Promise<void> {
  const dataset = await openDataset(n);
  if (!dataset) return;
  try {
    await measureDatabaseShare(dataset, n);
  } finally {
    await dataset.stop();
  }
}

/** The same on a dataset that is open already. */
export async function measureDatabaseShare(dataset: Dataset, n: number): Promise<void> {
  const server = await startTypesenseServer();
  const pool = addWordCaches(
    createPool({ databaseUrl: dataset.databaseUrl, max: 1, applicationName: 'bench', deadlines: { statement: 0 } }),
  );
  try {
    const index = openIndex(
      { nodes: [server.url], apiKey: server.key, collection: 'listings' },
      { current: () => ({ catalog }) },
    );
    const name = nameCollection(index, 'run_bench');
    await createCollection(index, name);
    const { rows } = await pool.query<{ id: string }>(
      `select id from listings where status = 'active' order by sort_at desc limit ${INDEXED}`,
    );
    const ids = rows.map(({ id }) => id);
    await indexListings({ pool, index, now: () => new Date() }, ids, [name]);
    await pointTo(index, name);
    await writeTerms(pool, index, new Date());
    const meter = await createMeter(pool);
    const engines = { postgres: createPostgresEngine(pool), typesense: createTypesenseEngine(pool, index) };
    console.log(
      `${n} listings, what ${REQUESTS} searches of each kind cost PostgreSQL: statements and CPU ms of one\n`,
    );
    const sums = { postgres: 0, typesense: 0 };
    for (const { name: kind, query, sort, facets } of searches) {
      const works = Object.entries(engines).map(([engine, { findPage }]) => {
        const wish = { facets: readFacets(facets, undefined, catalog), facetLimit: 20, readerId: undefined };
        return [engine, () => findPage({ search: searchOf(query, sort), ...wish })] as const;
      });
      for (const [engine, work] of works) report(kind, engine, await meter(work), sums);
    }
    const wish = { q: 'bav', now: new Date(), limit: 8, mayCorrect: true };
    for (const [engine, { suggest }] of Object.entries(engines))
      report('suggestions', engine, await meter(() => suggest(wish)), sums);
    let time = 0;
    const state = createIndexState(pool, false, () => (time += 2_000));
    const { cpuMs } = await meter(() => state.stateFor(undefined));
    console.log(`\nthe look at how far the index is, once a second and process: ${cpuMs.toFixed(2)} ms`);
    const saved = 1 - sums.typesense / sums.postgres;
    console.log(`share of PostgreSQL's CPU saved over all kinds alike: ${(100 * saved).toFixed(1)} %`);
    await index.client.close();
  } finally {
    await pool.end();
    await server.close();
  }
}

function report(
  kind: string,
  engine: string,
  { statements, cpuMs }: { statements: number; cpuMs: number },
  sums: Record<string, number>,
): void {
  sums[engine] = (sums[engine] ?? 0) + cpuMs;
  console.log(
    `  ${kind.padEnd(22)} ${engine.padEnd(10)} ${statements.toFixed(2).padStart(5)} statements ${cpuMs.toFixed(2).padStart(8)} ms`,
  );
}

const searchOf = (query: FilterQuery, sort: Sort): Search => ({
  filters: readFilters(query, catalog).filters,
  scope: { everyone: ['active'] },
  sort,
  seed: '',
  offset: 0,
  limit: 20,
  locale: 'en',
  now: new Date(),
});

const TICK_MS = 10;

/** Counts statements at the pool, and the processor time of its only connection by the kernel's account of that process. */
async function createMeter(pool: Pool) {
  await pool.query('set max_parallel_workers_per_gather = 0');
  const { rows } = await pool.query<{ pid: number }>('select pg_backend_pid() as pid');
  const pid = rows[0]!.pid;
  const cpuMs = () => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  };
  let statements = 0;
  const query = pool.query.bind(pool) as (...values: unknown[]) => unknown;
  pool.query = ((...values: unknown[]) => {
    statements += 1;
    return query(...values);
  }) as typeof pool.query;
  return async (work: () => Promise<unknown>) => {
    for (let turn = 0; turn < 5; turn += 1) if ((await work()) === undefined) throw new Error('not answered here');
    const before = { statements, cpuMs: cpuMs() };
    for (let turn = 0; turn < REQUESTS; turn += 1) await work();
    return {
      statements: (statements - before.statements) / REQUESTS,
      cpuMs: (cpuMs() - before.cpuMs) / REQUESTS,
    };
  };
}
