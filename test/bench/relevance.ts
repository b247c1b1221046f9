import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Pool } from 'pg';
import { createPool } from '../../db/client.ts';
import { startEmbedded } from '../../db/embedded.ts';
import { readConfig } from '../../shared/kit/config.ts';
import { addWordCaches, type SearchPool } from '../../shared/search/search-pool.ts';
import { searchListings } from '../../shared/search/search.ts';
import { prepareDatabase } from '../../shared/boot/prepare.ts';
import { NOW, readCrowdflower, readHomeDepot, storeDocuments, type Collection } from './relevance-data.ts';
import { mistype, ndcg, rankByBm25, type Stemmed } from './relevance-measures.ts';
import type { BenchOptions } from './run.ts';

/**
 * Measures the order `relevance` by what people judged: NDCG@10 over all documents of a set, beside plain BM25 over the same
 * rows and stems. Documents are listings in a database of their own, some older and more read than others, as listings are.
 * Of the larger set the first `n` queries are asked, in the order of the file.
 */
export async function benchRelevance({ n = 600 }: BenchOptions = {}): Promise<void> {
  const collections = [readCrowdflower(), readHomeDepot(n)].filter((each) => each !== undefined);
  if (collections.length === 0) return;
  const dataDir = mkdtempSync(join(tmpdir(), 'quayside-relevance-'));
  const server = await startEmbedded({ dataDir, fast: true });
  const pool = addWordCaches(
    createPool({ databaseUrl: server.url, max: 2, applicationName: 'bench', deadlines: { statement: 0 } }),
  );
  try {
    await prepareDatabase(server.url, readConfig({ NODE_ENV: 'test', DATABASE_URL: server.url }));
    for (const collection of collections) await measure(pool, collection);
  } finally {
    await pool.end();
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function measure(pool: SearchPool, { name, documents, judged, isHeldOut }: Collection): Promise<void> {
  await pool.query('truncate listings, listing_counts, listing_count_deltas, search_words cascade');
  const documentOf = await storeDocuments(pool, documents);
  const find = async (q: string) => {
    const { hits } = await searchListings(pool, searchOf(q));
    return hits.map(({ id }) => documentOf.get(id)!);
  };
  const bm25 = rankByBm25(await readStems(pool, documentOf));
  const stems = await stemsOf(
    pool,
    judged.map(({ query }) => query),
  );
  const scores: { ours: number; bm25: number; isHeldOut: boolean }[] = [];
  let none = 0;
  const typos = { asked: 0, recovered: 0, firstThree: 0 };
  const latencies: number[] = [];
  for (const [index, { query, grades }] of judged.entries()) {
    const startedAt = performance.now();
    const found = await find(query);
    latencies.push(performance.now() - startedAt);
    if (found.length === 0) none += 1;
    scores.push({
      ours: ndcg(found, grades),
      bm25: ndcg(bm25(stems[index]!), grades),
      isHeldOut: isHeldOut(index),
    });
    const typo = index < MAX_TYPOS ? mistype(query) : undefined;
    if (typo === undefined || found.length === 0) continue;
    const again = await find(typo);
    const three = found.slice(0, 3);
    typos.asked += three.length;
    typos.recovered += three.filter((id) => again.includes(id)).length;
    typos.firstThree += three.filter((id) => again.slice(0, 3).includes(id)).length;
  }
  const percent = (part: number, of: number) => `${((100 * part) / of).toFixed(1)} %`;
  latencies.sort((a, b) => a - b);
  console.log(`${name}: ${documents.length} documents, ${judged.length} queries`);
  for (const [what, some] of [
    ['all queries', scores],
    ['those that no weight was fitted on', scores.filter((each) => each.isHeldOut)],
  ] as const) {
    const mean = (key: 'ours' | 'bm25') => some.reduce((sum, each) => sum + each[key], 0) / some.length;
    const [ours, plain] = [mean('ours'), mean('bm25')];
    console.log(
      `  NDCG@10 ${ours.toFixed(4)} of ${what} (${some.length}), BM25 ${plain.toFixed(4)}, ${(ours / plain).toFixed(3)} of it`,
    );
  }
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
