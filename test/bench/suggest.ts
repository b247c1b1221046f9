import { createDatabase } from '../../db/client.ts';
import { refreshSuggestions } from '../../shared/search/suggest/refresh.ts';
import { loadPaths, median, quantile, type Load } from './api-load.ts';
import { apiScript, environmentOf, startServer, type ServerProcess } from './api-process.ts';
import { openDataset, type Dataset } from './dataset.ts';
import { mistype } from './relevance-measures.ts';
import type { BenchOptions } from './run.ts';
import { readLogs, recordSearches } from './suggest-logs.ts';
import { measureSuggestions } from './suggest-quality.ts';

const CONNECTIONS = 2;
const SLICE_MS = 2_000;
/** A server that has been running: until then V8 still compiles, and its heap still grows. */
const WARM_MS = 5_000;
const TARGET_MS = 10;

/** Measures suggestions: what they are worth, then how long they take, every middleware on and the response cache off. */
export async function benchSuggest({ n = 100_000, rounds = 5 }: BenchOptions = {}): Promise<void> {
  await measureSuggestions();
  const dataset = await openDataset(n);
  if (!dataset) return;
  const env = environmentOf(dataset);
  try {
    const searches = readLogs().flatMap((log) => log.searches);
    await recordSearches(dataset.pool, searches);
    await refresh(dataset);
    const script = ['--import', './test/bench/api-uncached.ts', ...apiScript];
    const api = await startServer('api', script, env, { dataDir: dataset.dataDir, probe: '/health' });
    try {
      console.log(`${n} listings, ${CONNECTIONS} connections, ${rounds} rounds of ${SLICE_MS / 1_000} s each`);
      const queries = await readQueries(
        dataset,
        searches.map(({ query }) => query),
      );
      for (const [name, typed] of Object.entries(queries)) await measure(name, typed, api, rounds);
      console.log(`RSS ${(api.rssBytes() / 1_048_576).toFixed(0)} MiB`);
    } finally {
      await api.stop();
    }
  } finally {
    await dataset.stop();
  }
}

/** Does what a worker does every ten minutes. */
async function refresh({ pool }: Dataset): Promise<void> {
  const startedAt = performance.now();
  const prefixes = await refreshSuggestions(createDatabase(pool), 'titles');
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  console.log(`${prefixes} frequent prefixes of titles, refreshed in ${seconds} s`);
  await refreshSuggestions(createDatabase(pool), 'terms');
  await pool.query('vacuum (analyze) suggestion_heads, suggestion_terms, search_queries');
  // What was written is on the disk before anything is timed.
  await pool.query('checkpoint');
}

/** What people type: titles and searches, from any word on, unfinished, and with one letter wrong. */
async function readQueries({ pool }: Dataset, searches: readonly string[]): Promise<Record<string, string[]>> {
  const { rows } = await pool.query<{ title: string }>(
    `select title from listings where status = 'active' order by md5(id) limit 2000`,
  );
  const titles = rows.flatMap(({ title }, index) => {
    const words = title.toLowerCase().split(' ');
    const text = words.slice(index % Math.min(3, words.length)).join(' ');
    return text.length < 2 ? [] : [text.slice(0, 2 + (index % 11)).trim()];
  });
  const wrong = (texts: readonly string[]) => texts.map((text) => mistype(text)).filter((text) => text !== undefined);
  return {
    'titles, unfinished': titles,
    'two letters': [...new Set(titles.map((text) => text.slice(0, 2)))],
    'searches, unfinished': searches.slice(0, 2_000).map((text, index) => text.slice(0, 2 + (index % 11)).trim()),
    'searches, mistyped': wrong(searches).slice(0, 2_000),
    'titles, mistyped': wrong(rows.map(({ title }) => title.toLowerCase().slice(0, 40))),
  };
}

async function measure(name: string, queries: readonly string[], api: ServerProcess, rounds: number): Promise<void> {
  const paths = queries
    .filter((q) => q.trim().length >= 2)
    .map((q) => `/api/search/suggest?q=${encodeURIComponent(q)}`);
  await loadPaths(api.port, paths, CONNECTIONS, WARM_MS, 0);
  const before = api.cpuMs();
  const slices: Load[] = [];
  for (let round = 0; round < rounds; round += 1)
    slices.push(await loadPaths(api.port, paths, CONNECTIONS, SLICE_MS, round * 211));
  const at = (share: number) => median(slices.map(({ latencies }) => quantile(latencies, share)));
  const cpu = (api.cpuMs() - before) / slices.reduce((sum, { requests }) => sum + requests, 0);
  const verdict = at(0.99) <= TARGET_MS ? 'met' : 'MISSED';
  console.log(
    `  ${name.padEnd(20)} p50 ${at(0.5).toFixed(2)} ms  p99 ${at(0.99).toFixed(2)} ms (at most ${TARGET_MS}: ${verdict})  CPU ${cpu.toFixed(3)} ms/req`,
  );
}
