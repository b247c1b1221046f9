import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { createDatabase } from '../../db/client.ts';
import { refreshSuggestions } from '../../shared/search/suggest/refresh.ts';
import { dataFile } from '../support/data.ts';
import { loadPaths, median, quantile, type Load } from './api-load.ts';
import { apiScript, environmentOf, startServer, type ServerProcess } from './api-process.ts';
import { readBoats } from './dataset-rows.ts';
import { openDataset, type Dataset } from './dataset.ts';
import type { BenchOptions } from './run.ts';
import { measureSuggestions } from './suggest-quality.ts';

const CONNECTIONS = 2;
const SLICE_MS = 2_000;
/** A server that has been running: until then V8 still compiles, and its heap still grows. */
const WARM_MS = 10_000;
const TARGET = 3;

/**
 * Measures suggestions, every middleware on and the response cache off, against a bare server that answers the most
 * popular titles with the same first letters. Both run as processes of their own on one database and take turns; a ratio is the median of the rounds'
 * ratios of the 99th percentile.
 */
export async function benchSuggest({ n = 100_000, rounds = 5 }: BenchOptions = {}): Promise<void> {
  await measureSuggestions();
  const dataset = await openDataset(n);
  if (!dataset) return;
  const servers: ServerProcess[] = [];
  try {
    await refresh(dataset);
    const start = async (name: string, script: string[], probe: string) => {
      const server = await startServer(name, script, environmentOf(dataset), { dataDir: dataset.dataDir, probe });
      servers.push(server);
      return server;
    };
    const bare = await start('bare', ['test/bench/suggest-baseline.ts'], '/?q=ba');
    const api = await start('api', ['--import', './test/bench/api-uncached.ts', ...apiScript], '/health');
    console.log(`${n} listings, ${CONNECTIONS} connections, ${rounds} rounds of ${SLICE_MS / 1_000} s each in turns\n`);
    for (const [name, queries] of Object.entries(await readQueries(dataset)))
      await compare(name, queries, api, bare, rounds);
    for (const { name, rssBytes } of servers)
      console.log(`RSS ${name.padEnd(5)} ${(rssBytes() / 1_048_576).toFixed(0)} MiB`);
  } finally {
    for (const server of servers) await server.stop();
    await dataset.stop();
  }
}

/** Does what a worker does every ten minutes. */
async function refresh({ pool }: Dataset): Promise<void> {
  const startedAt = performance.now();
  const beginnings = await refreshSuggestions(createDatabase(pool), 'titles');
  console.log(
    `${beginnings} crowded beginnings, made ready in ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`,
  );
  await refreshSuggestions(createDatabase(pool), 'terms');
  await pool.query('vacuum (analyze) suggestion_heads');
  // What was written is on the disk before anything is timed.
  await pool.query('checkpoint');
}

/** What people type: titles that there are, letter by letter, from any word on; and searches of shops that sell other things. */
async function readQueries({ pool }: Dataset): Promise<Record<string, string[]>> {
  const { rows } = await pool.query<{ title: string }>(
    `select title from listings where status = 'active' order by md5(id) limit 2000`,
  );
  const typed = rows.flatMap(({ title }, index) => {
    const words = title.toLowerCase().split(' ');
    const text = words.slice(index % Math.min(3, words.length)).join(' ');
    return text.length < 2 ? [] : [text.slice(0, 2 + (index % 11)).trim()];
  });
  const shop = (name: string, read: (row: Record<string, string>) => string | undefined, zipped = false) => {
    const file = dataFile(name);
    if (!file) return [];
    const bytes = readFileSync(file);
    const searches = readBoats((zipped ? gunzipSync(bytes) : bytes).toString('utf8')).map(read);
    return [...new Set(searches)].filter((text) => text !== undefined && text.length >= 2).slice(0, 1_000) as string[];
  };
  const others = [
    ...shop('search-query-suggestions/electronics_query_popularity.csv', ({ query }) => query?.slice(0, 100)),
    ...shop('search-homedepot/qrels.dev.csv.gz', ({ query }) => query?.slice(0, 100), true),
  ];
  const two = [...new Set(typed.map((text) => text.slice(0, 2)))];
  return { 'titles as they are typed': typed, 'two letters': two, 'searches of other shops': others };
}

async function compare(name: string, queries: string[], api: ServerProcess, bare: ServerProcess, rounds: number) {
  const usable = queries.filter((q) => q.trim().length >= 2);
  const paths = new Map([
    [api, usable.map((q) => `/api/search/suggest?q=${encodeURIComponent(q)}`)],
    [bare, usable.map((q) => `/?q=${encodeURIComponent(q)}`)],
  ]);
  const load = (server: ServerProcess, ms: number, from = 0) =>
    loadPaths(server.port, paths.get(server) ?? [], CONNECTIONS, ms, from);
  for (const server of [bare, api]) await load(server, WARM_MS);
  const slices: { api: Load; bare: Load }[] = [];
  const before = { api: api.cpuMs(), bare: bare.cpuMs() };
  for (let round = 0; round < rounds; round += 1) {
    const order = round % 2 === 0 ? [bare, api] : [api, bare];
    const loads = new Map<ServerProcess, Load>();
    for (const server of order) loads.set(server, await load(server, SLICE_MS, round * 211));
    slices.push({ api: loads.get(api)!, bare: loads.get(bare)! });
  }
  const ratio = median(
    slices.map((slice) => quantile(slice.api.latencies, 0.99) / quantile(slice.bare.latencies, 0.99)),
  );
  const verdict = ratio < TARGET ? 'met' : 'MISSED';
  console.log(`${name}: p99 is ${ratio.toFixed(2)} of the bare query's (target under ${TARGET}: ${verdict})`);
  for (const key of ['api', 'bare'] as const) {
    const middle = (value: (load: Load) => number) => median(slices.map((slice) => value(slice[key])));
    const at = (share: number) =>
      middle(({ latencies }) => quantile(latencies, share))
        .toFixed(2)
        .padStart(7);
    const cpu =
      ({ api, bare }[key].cpuMs() - before[key]) / slices.reduce((sum, slice) => sum + slice[key].requests, 0);
    const perSecond = middle((each) => each.perSecond)
      .toFixed(0)
      .padStart(6);
    console.log(
      `  ${key.padEnd(5)} ${perSecond} req/s  p50 ${at(0.5)} ms  p99 ${at(0.99)} ms  CPU ${cpu.toFixed(3)} ms/req`,
    );
  }
}
