import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'pg';
import { createDatabase } from '../../db/client.ts';
import { startEmbedded } from '../../db/embedded.ts';
import { prepareDatabase } from '../../shared/boot/prepare.ts';
import { readConfig } from '../../shared/kit/config.ts';
import { refreshSuggestions } from '../../shared/search/suggest/refresh.ts';
import { apiScript, environmentOf, startServer } from './api-process.ts';
import { readCrowdflower, readHomeDepot, storeDocuments } from './relevance-data.ts';
import { hashOf, mistype } from './relevance-measures.ts';
import { readLogs, recordSearches, type CountedSearch } from './suggest-logs.ts';

type Ask = (q: string) => Promise<string[]>;

const DOCUMENTS = 20_000;
const MAX_TYPOS = 600;
/** So many searches of a log are typed, whichever their texts hash to. */
const MAX_ASKED = 800;

/**
 * Measures what suggestions are worth: the mean reciprocal rank of the query that somebody is typing, after two and after six
 * letters, weighted by how often it is searched for; and the share of queries that are suggested although one letter is
 * wrong. Each log is split by users: one half was searched for before, the other half is what is typed now; the same with
 * the half that was searched for shows how much is remembered. Beside it most popular completion over the same half.
 */
export async function measureSuggestions(): Promise<void> {
  const logs = readLogs();
  const documents = [...(readCrowdflower()?.documents ?? []), ...(readHomeDepot(0)?.documents ?? [])];
  if (logs.length === 0 || documents.length === 0) return;
  const dataDir = mkdtempSync(join(tmpdir(), 'quayside-suggest-'));
  const server = await startEmbedded({ dataDir, fast: true });
  const pool = new Pool({ connectionString: server.url, max: 2 });
  try {
    const profile = { MARKETPLACE_PROFILE: 'general' };
    await prepareDatabase(server.url, readConfig({ NODE_ENV: 'test', DATABASE_URL: server.url, ...profile }));
    await storeDocuments(pool, documents.slice(0, DOCUMENTS));
    const env = { ...environmentOf({ databaseUrl: server.url, dataDir }), ...profile };
    for (const log of logs) {
      await pool.query('truncate search_queries, suggestion_terms, suggestion_heads');
      const halves = splitByUser(log.searches);
      await recordSearches(pool, halves.before);
      await refreshSuggestions(createDatabase(pool), 'titles');
      await refreshSuggestions(createDatabase(pool), 'terms');
      await pool.query('vacuum (analyze)');
      const api = await startServer('api', apiScript, env, { dataDir, probe: '/health' });
      const ask: Ask = async (q) => {
        const answer = await fetch(`http://127.0.0.1:${api.port}/api/search/suggest?q=${encodeURIComponent(q)}`);
        const { suggestions } = (await answer.json()) as { suggestions: { text: string }[] };
        return suggestions.map(({ text }) => text.toLowerCase());
      };
      try {
        await report(log.name, halves, ask);
      } finally {
        await api.stop();
      }
    }
  } finally {
    await pool.end();
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function report(
  name: string,
  { before, now }: Record<'before' | 'now', CountedSearch[]>,
  ask: Ask,
): Promise<void> {
  console.log(`${name}: ${before.length} different searches before, ${now.length} now`);
  const popular = before.toSorted((a, b) => b.times - a.times).map(({ query }) => query);
  const complete: Ask = async (q) => popular.filter((query) => query.startsWith(q)).slice(0, 8);
  for (const letters of [2, 6]) {
    const mrr = async (searches: CountedSearch[], by: Ask) => (await reciprocalRank(searches, letters, by)).toFixed(3);
    console.log(
      `  after ${letters} letters: MRR ${await mrr(now, ask)} on the other half of users (${await mrr(before, ask)} on the searches themselves; most popular completion ${await mrr(now, complete)})`,
    );
  }
  const frequent = before.filter(({ times }) => times >= 3).slice(0, MAX_TYPOS);
  const whole = { asked: 0, found: 0, typing: 0 };
  for (const { query } of frequent) {
    const typo = mistype(query, 4);
    if (typo === undefined) continue;
    whole.asked += 1;
    if ((await ask(typo)).includes(query)) whole.found += 1;
    if ((await ask(typo.slice(0, -1))).includes(query)) whole.typing += 1;
  }
  const percent = (n: number) => `${((100 * n) / whole.asked).toFixed(1)} %`;
  console.log(
    `  one letter mistyped: ${percent(whole.found)} of ${whole.asked} searches are suggested, ${percent(whole.typing)} before the last letter`,
  );
}

async function reciprocalRank(searches: readonly CountedSearch[], letters: number, ask: Ask): Promise<number> {
  const longer = searches
    .filter(({ query }) => query.length > letters)
    .toSorted((a, b) => hashOf(a.query) - hashOf(b.query))
    .slice(0, MAX_ASKED);
  let sum = 0;
  for (const { query, times } of longer) {
    const rank = (await ask(query.slice(0, letters))).indexOf(query);
    if (rank >= 0) sum += times / (rank + 1);
  }
  return sum / longer.reduce((total, { times }) => total + times, 0);
}

/** Each search of a log was made by somebody: half of them are of the past. */
function splitByUser(searches: readonly CountedSearch[]): Record<'before' | 'now', CountedSearch[]> {
  const halves = searches.map(({ query, times }) => {
    const past = Array.from({ length: times }, (_, user) => hashOf(`${query} ${user}`) % 2).reduce((a, b) => a + b, 0);
    return { query, past, present: times - past };
  });
  const half = (pick: (each: (typeof halves)[number]) => number) =>
    halves.map((each) => ({ query: each.query, times: pick(each) })).filter(({ times }) => times > 0);
  return { before: half(({ past }) => past), now: half(({ present }) => present) };
}
