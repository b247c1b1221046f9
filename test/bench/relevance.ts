import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Pool } from 'pg';
import { createDatabase, createPool } from '../../db/client.ts';
import { startEmbedded } from '../../db/embedded.ts';
import { readConfig } from '../../shared/kit/config.ts';
import { newId } from '../../shared/kit/ids.ts';
import { addToVocabulary } from '../../shared/search/query/correct-words.ts';
import { addWordCaches, type SearchPool } from '../../shared/search/search-pool.ts';
import { searchListings } from '../../shared/search/search.ts';
import { prepareDatabase } from '../../shared/boot/prepare.ts';
import { dataFile } from '../support/data.ts';
import { readBoats } from './dataset-rows.ts';
import { hashOf, mistype, ndcg, rankByBm25, type Judged, type Stemmed } from './relevance-measures.ts';
import type { BenchOptions } from './run.ts';

type Document = { id: string; title: string; description: string };
type Collection = { name: string; documents: Document[]; judged: Judged[] };

const BATCH = 2_000;
const DAY_MS = 86_400_000;
const NOW = new Date('2026-06-01T00:00:00Z');

/**
 * Measures the order `relevance` by what people judged: NDCG@10 over all documents of a set, beside plain BM25 over the same
 * rows and stems. Documents are listings in a database of their own, some older and more read than others, as listings are.
 * Of the larger set `n` queries are asked, chosen by what their texts hash to.
 */
export async function benchRelevance({ n = 600 }: BenchOptions = {}): Promise<void> {
  const collections = [readCrowdflower(), readHomeDepot(n)].filter((each) => each !== undefined);
  if (collections.length === 0) return;
  const dataDir = mkdtempSync(join(tmpdir(), 'quayside-relevance-'));
  const server = await startEmbedded({ dataDir, fast: true });
  const pool = addWordCaches(
    createPool({ databaseUrl: server.url, max: 2, applicationName: 'bench', statementTimeoutMs: 0 }),
  );
  try {
    await prepareDatabase(server.url, readConfig({ NODE_ENV: 'test', DATABASE_URL: server.url }));
    await pool.query(
      `insert into users (id, email, name, created_at, updated_at) values ($1, 'a@example.com', 'Anna', now(), now())`,
      [SELLER],
    );
    for (const collection of collections) await measure(pool, collection);
  } finally {
    await pool.end();
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

const SELLER = newId('user');

async function measure(pool: SearchPool, { name, documents, judged }: Collection): Promise<void> {
  await pool.query('truncate listings, listing_counts, listing_count_deltas, search_words cascade');
  const documentOf = await store(pool, documents);
  const find = async (q: string) => {
    const { hits } = await searchListings(pool, searchOf(q));
    return hits.map(({ id }) => documentOf.get(id)!);
  };
  const bm25 = rankByBm25(await readStems(pool, documentOf));
  const stems = await stemsOf(
    pool,
    judged.map(({ query }) => query),
  );
  const scores = { ours: 0, bm25: 0 };
  let none = 0;
  const typos = { asked: 0, recovered: 0, firstThree: 0 };
  const latencies: number[] = [];
  for (const [index, { query, grades }] of judged.entries()) {
    const startedAt = performance.now();
    const found = await find(query);
    latencies.push(performance.now() - startedAt);
    if (found.length === 0) none += 1;
    scores.ours += ndcg(found, grades);
    scores.bm25 += ndcg(bm25(stems[index]!), grades);
    const typo = index < MAX_TYPOS ? mistype(query) : undefined;
    if (typo === undefined || found.length === 0) continue;
    const again = await find(typo);
    const three = found.slice(0, 3);
    typos.asked += three.length;
    typos.recovered += three.filter((id) => again.includes(id)).length;
    typos.firstThree += three.filter((id) => again.slice(0, 3).includes(id)).length;
  }
  const mean = (sum: number) => (sum / judged.length).toFixed(4);
  const percent = (part: number, of: number) => `${((100 * part) / of).toFixed(1)} %`;
  latencies.sort((a, b) => a - b);
  console.log(`${name}: ${documents.length} documents, ${judged.length} queries`);
  console.log(
    `  NDCG@10 ${mean(scores.ours)}, BM25 ${mean(scores.bm25)}, ${(scores.ours / scores.bm25).toFixed(3)} of it`,
  );
  console.log(`  without a result ${percent(none, judged.length)}`);
  console.log(
    `  one letter mistyped: ${percent(typos.recovered, typos.asked)} of the first three are in the first ten, ${percent(typos.firstThree, typos.asked)} in the first three`,
  );
  console.log(
    `  p50 ${latencies[Math.floor(latencies.length / 2)]!.toFixed(1)} ms, p99 ${latencies[Math.floor(latencies.length * 0.99)]!.toFixed(1)} ms`,
  );
}

const MAX_TYPOS = 400;

const searchOf = (q: string) => ({
  filters: { q, impossible: false },
  scope: { everyone: ['active'] },
  sort: 'relevance' as const,
  seed: '',
  offset: 0,
  limit: 10,
  locale: 'en',
  now: NOW,
});

/** Makes listings of documents, active ones, and answers whose each listing is. */
async function store(pool: Pool, documents: readonly Document[]): Promise<Map<string, string>> {
  const documentOf = new Map<string, string>();
  const db = createDatabase(pool);
  const { rows } = await pool.query<{ id: string }>('select id from categories order by id limit 1');
  for (let from = 0; from < documents.length; from += BATCH) {
    const listings = documents.slice(from, from + BATCH).map(({ id, title, description }) => {
      const listing = newId('listing');
      documentOf.set(listing, id);
      const hash = hashOf(id);
      const published = new Date(NOW.getTime() - (hash % 180) * DAY_MS - (hash % 86_400) * 1_000).toISOString();
      return {
        id: listing,
        slug: id,
        title,
        description,
        price: hash % 10 === 0 ? 0 : 1 + (hash % 500),
        published,
        views: hash % 7 === 0 ? hash % 3_000 : hash % 50,
      };
    });
    await pool.query(
      `insert into listings (id, slug, seller_id, category_id, status, type, condition, title, price_amount, price_currency, country, city, source, language,
          created_at, updated_at, published_at, expires_at, description)
        select id, slug, $2, $3, 'active', 'sale', 'new', title, price, 'USD', 'US', 'Miami', 'seed', 'en', published, published, published, '2099-01-01', description
        from jsonb_to_recordset($1::jsonb) as d (id text, slug text, title text, description text, price float8, published timestamptz)`,
      [JSON.stringify(listings), SELLER, rows[0]?.id],
    );
    await pool.query(
      'insert into listing_views select id, views from jsonb_to_recordset($1::jsonb) as d (id text, views int)',
      [JSON.stringify(listings)],
    );
    await addToVocabulary(
      db,
      listings.map(({ id }) => id),
    );
  }
  await pool.query('vacuum (analyze)');
  return documentOf;
}

async function readStems(pool: Pool, documentOf: Map<string, string>): Promise<Stemmed[]> {
  const field = (weights: string) =>
    `(select coalesce(json_object_agg(lexeme, n), '{}') from (select lexeme, cardinality(positions) as n from unnest(ts_filter(words, '${weights}'))) as t)`;
  const { rows } = await pool.query<Stemmed>(
    `select listing_id as id, ${field('{a}')} as title, ${field('{b,c,d}')} as text from listing_search order by listing_id`,
  );
  return rows.map((row) => ({ ...row, id: documentOf.get(row.id)! }));
}

async function stemsOf(pool: Pool, queries: readonly string[]): Promise<string[][]> {
  const { rows } = await pool.query<{ stems: string[] }>(
    `select tsvector_to_array(to_tsvector('quayside', q)) as stems from unnest($1::text[]) with ordinality as t (q, n) order by n`,
    [queries],
  );
  return rows.map(({ stems }) => stems);
}

function readCrowdflower(): Collection | undefined {
  const [documents, judgments] = readFiles('search-crowdflower/docs.csv.gz', 'search-crowdflower/qrels.dev.csv');
  if (!documents || !judgments) return undefined;
  return {
    name: 'search-crowdflower',
    documents: documents.map((row) => ({ id: row.doc_id!, title: row.title!, description: row.description ?? '' })),
    judged: judge(judgments, 'doc_id'),
  };
}

function readHomeDepot(n: number): Collection | undefined {
  const [documents, judgments] = readFiles('search-homedepot/docs.csv.gz', 'search-homedepot/qrels.dev.csv.gz');
  if (!documents || !judgments) return undefined;
  return {
    name: 'search-homedepot',
    documents: documents.map((row) => ({ id: row.product_uid!, title: row.title!, description: '' })),
    judged: judge(judgments, 'product_uid')
      .toSorted((a, b) => hashOf(a.query) - hashOf(b.query))
      .slice(0, n),
  };
}

function readFiles(...names: string[]): (Record<string, string>[] | undefined)[] {
  return names.map((name) => {
    const file = dataFile(name);
    if (!file) return undefined;
    const bytes = readFileSync(file);
    return readBoats((name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8'));
  });
}

function judge(rows: Record<string, string>[], column: string): Judged[] {
  const queries = new Map<string, Map<string, number>>();
  for (const { query = '', relevance, [column]: id = '' } of rows) {
    const grades = queries.get(query) ?? new Map<string, number>();
    queries.set(query, grades.set(id, Number(relevance)));
  }
  return [...queries].map(([query, grades]) => ({ query, grades }));
}
