import { readFilters, type FilterQuery } from '../../shared/search/filters.ts';
import { readFacets } from '../../shared/search/postgres/facet.ts';
import { countFacets } from '../../shared/search/postgres/facets.ts';
import { nowAtPosition, searchListings, type Position, type Search, type Sort } from '../../shared/search/search.ts';
import { buildCatalog } from '../../shared/catalog/tree.ts';
import { profileOf } from '../../shared/profiles/read-profile.ts';
import { median, quantile } from './api-load.ts';
import { apiScript, environmentOf, startServer, type ServerProcess } from './api-process.ts';
import { openDataset, type Dataset } from './dataset.ts';
import type { BenchOptions } from './run.ts';
import { bareNear, bareNewest, bareRelevance, bareWords } from './search-bare.ts';
import { measureDatabaseShare } from './search-index.ts';

const nautical = profileOf('nautical');

const SMALL = 100_000;
const REQUESTS = 40;
const WARM = 16;

const catalog = buildCatalog(nautical);

type Work = (index: number) => Promise<unknown>;
/** What is measured beside one another, and what the medians have to show. */
type Case = { name: string; works: Record<string, Work>; judge?: (p: Quantiles) => Verdict };
type Quantiles = Record<string, { p50: number; p99: number }>;
type Verdict = { text: string; met: boolean };

/**
 * Measures the searches of the API's domain against bare tuned statements on the same database, and against themselves on a
 * tenth of the listings or on the first page. All take turns in one run; numbers are medians of the rounds.
 */
export async function benchSearch({ n = 1_000_000, rounds = 5 }: BenchOptions = {}): Promise<void> {
  const large = await openDataset(n);
  if (!large) return;
  const small = n > SMALL ? await openDataset(SMALL) : undefined;
  let api: ServerProcess | undefined;
  try {
    const script = ['--import', './test/bench/api-uncached.ts', ...apiScript];
    api = await startServer('api', script, environmentOf(large), { dataDir: large.dataDir, probe: '/health' });
    await measure([...(await makeCases(large, small)), throughApi(large, api)], n, rounds);
    await measureDatabaseShare(large, n);
  } finally {
    await api?.stop();
    await small?.stop();
    await large.stop();
  }
}

async function measure(cases: Case[], n: number, rounds: number): Promise<void> {
  console.log(`${n} listings, ${rounds} rounds of ${REQUESTS} requests each in turns, milliseconds\n`);
  for (const { name, works, judge } of cases) {
    for (const work of Object.values(works)) await time(work, 0, WARM);
    const latencies = new Map(Object.keys(works).map((key) => [key, [] as Float64Array[]]));
    for (let round = 0; round < rounds; round += 1) {
      const turns = Object.entries(works);
      if (round % 2 === 1) turns.reverse();
      for (const [key, work] of turns) latencies.get(key)?.push(await time(work, round * REQUESTS, REQUESTS));
    }
    const middle = (key: string, share: number) => median(latencies.get(key)!.map((each) => quantile(each, share)));
    const quantiles = Object.fromEntries(
      Object.keys(works).map((key) => [key, { p50: middle(key, 0.5), p99: middle(key, 0.99) }]),
    );
    const verdict = judge?.(quantiles);
    console.log(`${name}${verdict ? `: ${verdict.text} (${verdict.met ? 'met' : 'MISSED'})` : ''}`);
    for (const [key, { p50, p99 }] of Object.entries(quantiles))
      console.log(`  ${key.padEnd(22)} p50 ${p50.toFixed(2).padStart(8)}  p99 ${p99.toFixed(2).padStart(8)}`);
  }
}

async function time(work: Work, from: number, count: number): Promise<Float64Array> {
  const latencies = new Float64Array(count);
  for (let index = 0; index < count; index += 1) {
    const startedAt = performance.now();
    await work(from + index);
    latencies[index] = performance.now() - startedAt;
  }
  return latencies.sort();
}

const ratio = (key: string, of: string, share: 'p50' | 'p99', most: number) => (quantiles: Quantiles) => {
  const value = quantiles[key]![share] / quantiles[of]![share];
  return { text: `${share} ${value.toFixed(2)} of ${of}, at most ${most}`, met: value <= most };
};
const below = (key: string, most: number) => (quantiles: Quantiles) => ({
  text: `p99 ${quantiles[key]!.p99.toFixed(0)} ms, at most ${most}`,
  met: quantiles[key]!.p99 <= most,
});

async function makeCases(large: Dataset, small: Dataset | undefined): Promise<Case[]> {
  const cases: Case[] = [];
  const filtered = (dataset: Dataset) => (index: number) => find(dataset, filteredQuery(index));
  cases.push({
    name: 'newest with category, price and exact total',
    works: {
      ...(small && { small: filtered(small) }),
      large: filtered(large),
      bare: (index) => bareNewest(large.pool, readFilters(filteredQuery(index), catalog).filters),
    },
    judge: small && ratio('large', 'small', 'p99', 4),
  });
  for (const [name, query, sort] of deepSearches) {
    const positions = await walkTo(large, query, sort, 10_000);
    cases.push({
      name: `page at depth 10,000: ${name}`,
      works: {
        first: () => find(large, query, { sort }),
        deep: (index) => find(large, query, { sort, after: positions[index % positions.length] }),
      },
      judge: ratio('deep', 'first', 'p50', 2),
    });
  }
  for (const [name, query, facets] of facetSearches) {
    const totals = await totalsOf(large, query);
    cases.push({
      name: `facets ${name}: ${facets}`,
      works: {
        page: (index) => find(large, query(index)),
        facets: (index) => count(large, query(index), facets, totals.get(JSON.stringify(query(index))) ?? 0),
      },
      judge: below('facets', 150),
    });
  }
  cases.push({
    name: 'words, newest',
    works: {
      ours: (index) => find(large, { q: words[index % words.length]! }),
      bare: (index) => bareWords(large.pool, words[index % words.length]!),
    },
  });
  cases.push({
    name: 'words, most relevant',
    works: {
      ours: (index) => find(large, { q: words[index % words.length]! }, { sort: 'relevance' }),
      bare: (index) => bareRelevance(large.pool, words[index % words.length]!),
    },
    judge: ratio('ours', 'bare', 'p99', 1.5),
  });
  cases.push({
    name: 'words, most relevant, of which few or no listings have all',
    works: { ours: (index) => find(large, { q: partial[index % partial.length]! }, { sort: 'relevance' }) },
    judge: below('ours', 100),
  });
  cases.push({
    name: 'words with synonyms, which bare does without, newest',
    works: {
      ours: (index) => find(large, { q: manySaid[index % manySaid.length]! }),
      bare: (index) => bareWords(large.pool, manySaid[index % manySaid.length]!),
    },
  });
  cases.push({
    name: 'words with synonyms, which bare does without, most relevant',
    works: {
      ours: (index) => find(large, { q: manySaid[index % manySaid.length]! }, { sort: 'relevance' }),
      bare: (index) => bareRelevance(large.pool, manySaid[index % manySaid.length]!),
    },
    judge: ratio('ours', 'bare', 'p99', 3),
  });
  for (const radius of [10, 50, 500, 20_000]) {
    const query = (index: number) => ({ near: points[index % points.length]!, radius_km: radius });
    cases.push({
      name: `near, ${radius} km`,
      works: {
        newest: (index) => find(large, query(index)),
        nearest: (index) => find(large, query(index), { sort: 'distance' }),
        'price in a category': (index) =>
          find(large, { ...query(index), category: 'motorboats' }, { sort: 'price_asc' }),
        bare: (index) => bareNear(large.pool, readFilters(query(index), catalog).filters),
      },
    });
  }
  cases.push({
    name: 'changed since',
    works: {
      day: () => find(large, { updated_since: '2099-01-01T00:00:00Z' }),
      all: () => find(large, { updated_since: '2000-01-01T00:00:00Z' }),
      copy: () => find(large, { updated_since: '2000-01-01T00:00:00Z' }, { sort: 'updated_asc' }),
    },
  });
  return cases;
}

/** The same searches as requests, with no answer kept: what every middleware, the network and the JSON of a page add. */
function throughApi(large: Dataset, { port }: ServerProcess): Case {
  const wordsOf = (index: number) => words[index % words.length]!;
  return {
    name: 'words, most relevant, through the API',
    works: {
      api: async (index) => {
        const query = new URLSearchParams({ q: wordsOf(index), sort: 'relevance' }).toString();
        const answer = await fetch(`http://127.0.0.1:${port}/api/listings?${query}`);
        if (!answer.ok) throw new Error(`${answer.status} for ${query}`);
        await answer.json();
      },
      engine: (index) => find(large, { q: wordsOf(index) }, { sort: 'relevance' }),
    },
    judge: ratio('api', 'engine', 'p50', 1.3),
  };
}

function searchOf(
  query: FilterQuery,
  { sort = 'newest', after }: { sort?: Sort; after?: Position | undefined },
): Search {
  return {
    filters: readFilters(query, catalog).filters,
    scope: { everyone: ['active'] },
    sort,
    seed: '',
    offset: 0,
    limit: 20,
    after,
    locale: 'en',
    now: after ? nowAtPosition(after) : new Date(),
  };
}

const find = ({ pool }: Dataset, query: FilterQuery, how: { sort?: Sort; after?: Position | undefined } = {}) =>
  searchListings(pool, searchOf(query, how));

/** Counts the facets of a search whose total its page has told. */
function count({ pool }: Dataset, query: FilterQuery, names: string, total: number) {
  const search = searchOf(query, {});
  return countFacets(pool, search, readFacets(names, query.category, catalog), { limit: 20, total });
}

/** The totals of a case's searches, by what is searched for; they repeat long before so many. */
async function totalsOf(dataset: Dataset, query: (index: number) => FilterQuery): Promise<Map<string, number>> {
  const totals = new Map<string, number>();
  for (let index = 0; index < 5 * REQUESTS; index += 1) {
    const asked = JSON.stringify(query(index));
    if (!totals.has(asked)) totals.set(asked, (await find(dataset, query(index))).total);
  }
  return totals;
}

/** Where the pages around that depth have ended. */
async function walkTo(dataset: Dataset, query: FilterQuery, sort: Sort, depth: number): Promise<Position[]> {
  let after: Position | undefined;
  const ends: Position[] = [];
  for (let seen = 0; seen < depth + 400; seen += 100) {
    const { next } = await searchListings(dataset.pool, { ...searchOf(query, { sort, after }), limit: 100 });
    if (!next) break;
    after = next;
    if (seen >= depth - 200) ends.push(next);
  }
  return ends;
}

const categories = [
  'sailboats',
  'cruising',
  'motorboats',
  'cabin-cruisers',
  'pontoon-boats',
  'bowriders',
  'yachts',
  'small-boats',
];

function filteredQuery(index: number): FilterQuery {
  const min = 5_000 * (1 + (index % 12));
  const condition = index % 4 === 1 ? { condition: 'good' } : {};
  return { category: categories[index % 8]!, min_price: min, max_price: min + 15_000, ...condition };
}

const deepSearches: [string, FilterQuery, Sort][] = [
  ['newest', {}, 'newest'],
  ['newest in a category', { category: 'motorboats', min_price: 10_000, max_price: 60_000 }, 'newest'],
  ['cheapest in a category', { category: 'motorboats', min_price: 10_000 }, 'price_asc'],
  ['longest', {}, 'length_desc'],
  ['oldest in a country', { country: 'US' }, 'oldest'],
  ['a copy', {}, 'updated_asc'],
];

const usual = 'category,condition,country,type,attr.brand';
const words = [
  'sealine',
  'comfortina',
  'najad',
  'hallberg rassy',
  'bavaria 38',
  'princess bow thruster',
  'linssen',
  'pontoon mercury',
];
const partial = [
  'sealine with a sauna and a helicopter',
  'comfortina wheel steering trailer radar bimini solar',
  'hallbergrassy 42',
  'bavarla cruiser mercury',
  'princess zeppelin',
  'najad pontoon',
];
const manySaid = [
  'sail boat',
  'yacht',
  'rib',
  'dinghy',
  'speedboat',
  'center console',
  'bow thruster',
  'bavaria chartplotter',
];
const points = [
  '25.774,-80.194',
  '54.321,10.135',
  '43.7,7.26',
  '52.37,4.9',
  '44.02,-92.46',
  '45.1,13.6',
  '50.11,8.68',
  '60.39,5.32',
];

const facetSearches: [string, (index: number) => FilterQuery, string][] = [
  ['of all', () => ({}), 'category,condition,country,type'],
  ['of all', () => ({}), usual],
  ['of a category', (index) => ({ category: categories[index % 8]! }), usual],
  ['of category, price and condition', filteredQuery, usual],
  ['of a price', (index) => ({ min_price: 1_000 * (index % 30), max_price: 1_000 * (index % 30) + 2_000 }), usual],
  ['of words', (index) => ({ q: words[index % words.length]! }), usual],
  ['of a place', (index) => ({ near: points[index % points.length]! }), usual],
  [
    'of a place',
    (index) => ({ near: points[index % points.length]!, category: categories[index % 8]!, condition: 'good' }),
    usual,
  ],
];
