import { decimalsOf } from '../../rates/exchange-rates.ts';
import type { Pool } from 'pg';
import { hasOwnFilter, withoutOwnFilter, type Facet, type FacetValue } from './facet.ts';
import { toHistogram, type Histogram } from './histogram.ts';
import { countFromCounters, hasCounters } from './facet-counters.ts';
import { filtersIn, fitsFilters, inScope, priceKey } from './conditions.ts';
import { fromMatches } from './filter-first.ts';
import { createParameters, type Parameters, type Search, type Statement } from './statement.ts';
import { needsListing, renderTypedQuery, textMatches } from './text-search.ts';
import { canScanInOrder } from './ordered-scan.ts';
import { COUNT_LIMIT, selectMatchesByIndex } from './total.ts';

/** The values and the histograms of facets, and which of them are estimates. */
export type FacetCounts = {
  values: Map<string, FacetValue[]>;
  histograms: Map<string, Histogram>;
  approximate: string[];
};

/** Up to here matches are counted exactly: by columns, which indexes cover, and by attributes, in wide rows. */
const EXACT = 10_000;
const EXACT_ATTRIBUTES = 2_000;
/** Above, about so many of the matches are sampled; of very many, the matches within a sample of all listings. */
const PICKED = 1_000;
const SAMPLE = 10_000;
/** Statements of one search that run at the same time. */
const SIDE_BY_SIDE = 2;

/**
 * Counts facets, each without its own filter; undefined when none are asked for. `total` is that of the search. Counters
 * and up to 10,000 matches are exact, above a sample estimates.
 */
export async function countFacets(
  pool: Pool,
  search: Search,
  facets: readonly Facet[],
  { limit, total }: { limit: number; total: number },
): Promise<FacetCounts | undefined> {
  if (facets.length === 0) return undefined;
  const counts = emptyCounts(facets);
  if (search.filters.impossible) return counts;
  const [kept, others] = split(facets, (facet) => hasCounters(search, facet));
  if (kept.length > 0) addRows(counts, await countFromCounters(pool, search, kept, limit));
  const [bound, free] = split(others, (facet) => hasOwnFilter(search.filters, facet));
  const groups: Group[] = [
    ...split(free, isColumn).map((group) => ({ search, facets: group, known: total, least: total })),
    ...bound.map((facet) => ({
      search: withoutOwnFilter(search, facet),
      facets: [facet],
      known: undefined,
      least: total,
    })),
  ].filter((group) => group.facets.length > 0 && group.known !== 0);
  const tooMany: Group[] = [];
  for (let start = 0; start < groups.length; start += SIDE_BY_SIDE) {
    const some = groups.slice(start, start + SIDE_BY_SIDE);
    const counted = await Promise.all(some.map((group) => countGroup(pool, group, limit)));
    for (const [index, group] of some.entries()) {
      const found = counted[index];
      if (!found) tooMany.push(group);
      if (!found?.exact) counts.approximate.push(...group.facets.map(({ name }) => name));
      addRows(counts, found?.rows ?? []);
    }
  }
  if (tooMany.length > 0) addRows(counts, await countSample(pool, tooMany, limit));
  return counts;
}

/** The counts of facets where nothing matches. */
export const emptyCounts = (facets: readonly Facet[]): FacetCounts => ({
  values: new Map(facets.flatMap(({ name, isNumber }) => (isNumber ? [] : [[name, []]]))),
  histograms: new Map(facets.flatMap(({ name, isNumber }) => (isNumber ? [[name, toHistogram([])]] : []))),
  approximate: [],
});

/** Facets over the same matches; `known` is their number if known, `least` a lower bound. */
type Group = { search: Search; facets: readonly Facet[]; known: number | undefined; least: number };

function split<T>(all: readonly T[], condition: (each: T) => boolean): [T[], T[]] {
  return [all.filter(condition), all.filter((each) => !condition(each))];
}

const isColumn = (facet: Facet) => 'column' in facet;
const wordColumns = new Set(filtersIn('words').map(({ column }) => column));
const isInWords = (facet: Facet) => 'column' in facet && wordColumns.has(facet.column);

type Row = { facet: string; value: string; n: number };
type Counted = { rows: Row[]; exact: boolean };

/** Counts the matches of one search by facets; undefined where there are so many that a sample of all listings tells. */
async function countGroup(pool: Pool, group: Group, limit: number): Promise<Counted | undefined> {
  const { search, facets, known, least } = group;
  if (search.filters.q !== undefined) return countWords(pool, group, limit);
  const inIndex = facets.every(isColumn);
  if (least >= COUNT_LIMIT || (inIndex && least > EXACT)) return undefined;
  if (inIndex) {
    const rows = await run<Row>(pool, countFirst(search, facets, limit, EXACT + 1));
    return numberOf(rows) > EXACT ? undefined : { rows, exact: true };
  }
  const total = known ?? (await countMatches(pool, search));
  if (total >= COUNT_LIMIT) return undefined;
  const every = total <= EXACT_ATTRIBUTES ? 1 : Math.ceil(total / PICKED);
  return { rows: scale(await run<Row>(pool, countPicked(search, facets, limit, every)), every), exact: every === 1 };
}

/** Text matches: of very many, the first found are the sample. */
async function countWords(pool: Pool, { search, facets, known, least }: Group, limit: number): Promise<Counted> {
  // What is only an estimate may as well read fewer wide rows.
  const exact = facets.every(isColumn) ? EXACT : EXACT_ATTRIBUTES;
  const most = least > exact && exact < EXACT ? PICKED : exact + 1;
  const rows = await run<Row>(pool, countFirst(search, facets, limit, most));
  const met = numberOf(rows);
  if (met < most) return { rows, exact: true };
  return { rows: scale(rows, (known ?? (await countMatches(pool, search))) / met), exact: false };
}

/** The row without a facet tells how many listings were counted. */
const numberOf = (rows: readonly Row[]) => rows.find(({ facet }) => facet === '')?.n ?? 0;

async function countMatches(pool: Pool, search: Search): Promise<number> {
  const parameter = createParameters();
  const found = selectMatches(search, [], parameter, () => '1 as one');
  const text = `select count(*)::int as total from (${found} limit ${parameter('count-limit', COUNT_LIMIT)}) as counted`;
  const [counted] = await run<{ total: number }>(pool, { text, values: parameter.values });
  return counted?.total ?? 0;
}

/** Counts facets over the first `most` matches. */
function countFirst(search: Search, facets: readonly Facet[], limit: number, most: number): Statement {
  const parameter = createParameters();
  const hits = selectMatches(search, facets, parameter, (table) => selectValues(search, facets, table, parameter));
  return countHits(`${hits} limit ${parameter('most', most)}`, facets, limit, parameter);
}

/** Counts facets over one in `every` matches, sampled by id. */
function countPicked(search: Search, facets: readonly Facet[], limit: number, every: number): Statement {
  const parameter = createParameters();
  const all = selectMatches(search, [], parameter, (table) => (table === 's' ? 's.listing_id as id' : 'l.id'));
  // A table of its own: joined at once, PostgreSQL would read the wide rows of all that it looks at to pick some.
  const picked = `picked as materialized (select found.id from (${all}) as found
    where hashtextextended(found.id, 0) % ${parameter('every', every)}::bigint = 0)`;
  const hits = `select ${selectValues(search, facets, 'l', parameter)} from picked join listings l on l.id = picked.id`;
  return countHits(hits, facets, limit, parameter, picked);
}

/** Counts facets of several searches in one scan of a sample of all listings (TABLESAMPLE, repeatable). */
async function countSample(pool: Pool, groups: readonly Group[], limit: number): Promise<Row[]> {
  const share = await sampleShare(pool);
  const parameter = createParameters();
  const facets = groups.flatMap((group) => group.facets);
  const fits = groups.flatMap(({ search, facets: own }, index) => {
    // The searches differ in their filters: each has parameters of its own.
    const named = Object.assign((name: string, value: unknown) => parameter(`${index} ${name}`, value), {
      values: parameter.values,
    });
    const condition = `${inScope(search, named)} and ${fitsFilters(search.filters, named)}`;
    return own.map(() => condition);
  });
  // All are one request's: its facets left out one by one, and the currency that prices are compared in the same.
  const values = groups
    .flatMap(({ search, facets: own }) => own.map((facet) => valueOf(search, facet, 'l', parameter)))
    .map((value, index) => `case when ${fits[index]} then ${value}::text end as v${index}`);
  // Always the same sample, so that the same question has the same answer.
  const hits = `select ${values.join(', ')} from listings l tablesample system (${parameter('percent', share * 100)}::real) repeatable (1)`;
  return scale(await run<Row>(pool, countHits(hits, facets, limit, parameter)), 1 / share);
}

function selectMatches(
  search: Search,
  facets: readonly Facet[],
  parameter: Parameters,
  select: (table: string) => string,
): string {
  if (search.filters.q !== undefined) {
    const wide =
      needsListing(search) || facets.some((facet) => !isInWords(facet)) || search.filters.conversion !== undefined;
    const query = renderTypedQuery(search, parameter, search.corrected);
    return `select ${select(wide ? 'l' : 's')} ${textMatches(search, parameter, query, wide)}`;
  }
  if (canScanInOrder(search)) return selectMatchesByIndex(search, parameter, select('l'));
  return `select ${select('l')} from ${fromMatches(search, parameter)}`;
}

const selectValues = (search: Search, facets: readonly Facet[], table: string, parameter: Parameters) =>
  facets.map((facet, index) => `${valueOf(search, facet, table, parameter)} as v${index}`).join(', ');

function countHits(
  hits: string,
  facets: readonly Facet[],
  limit: number,
  parameter: Parameters,
  ...before: string[]
): Statement {
  const arms = facets.map((facet, index) => {
    const name = `${parameter(`facet-${index}`, facet.name)}::text as facet`;
    // Buckets are made of all values.
    if (facet.isNumber)
      return `(select ${name}, v${index}::text as value, count(*)::int as n from hits where v${index} is not null group by v${index})`;
    const group =
      'attribute' in facet
        ? `(array_agg(value order by n desc, value))[1] as value, sum(n)::int as n
            from (select v${index} as value, count(*) as n from hits where v${index} <> '' group by v${index}) as spelt group by lower(value)`
        : `v${index}::text as value, count(*)::int as n from hits where v${index} is not null group by v${index}`;
    return `(select ${name}, ${group} order by n desc, value limit ${parameter('values', limit)}::int)`;
  });
  const met = `(select '' as facet, '' as value, count(*)::int as n from hits)`;
  return {
    text: `with ${[...before, `hits as materialized (${hits})`].join(', ')} ${[met, ...arms].join(' union all ')}`,
    values: parameter.values,
  };
}

function valueOf({ filters }: Search, facet: Facet, table: string, parameter: Parameters): string {
  if ('attribute' in facet) {
    const key = `${parameter(facet.name, facet.attribute)}::text`;
    if (!facet.isNumber) return `${table}.attributes ->> ${key}`;
    return `(jsonb_path_query_first(${table}.attributes -> ${key}, '$.double()', '{}', true) #>> '{}')::float8`;
  }
  if (facet.filter === 'price') return `nullif(${shownPrice(filters, parameter, table)}, 0)`;
  const column = `${table}.${facet.column}`;
  // 11.99 of four bytes is 11.99 of eight.
  return facet.isNumber ? `${column}::numeric::float8` : column;
}

/** A converted price is shown in the smallest unit of its currency. */
function shownPrice(filters: Search['filters'], parameter: Parameters, table: string): string {
  const price = priceKey(filters, parameter, table);
  if (!filters.conversion) return price;
  return `round((${price})::numeric, ${parameter('decimals', decimalsOf(filters.conversion.to))}::int)::float8`;
}

/** The share of the table to sample: as many rows as are soon read, all of a small one. */
async function sampleShare(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ rows: number }>({
    name: 'listings-estimated',
    text: `select reltuples::float8 as rows from pg_class where oid = 'listings'::regclass`,
  });
  return Math.min(1, SAMPLE / Math.max(SAMPLE, rows[0]?.rows ?? 0));
}

const scale = (rows: Row[], factor: number) => rows.map((row) => ({ ...row, n: Math.round(row.n * factor) }));

function addRows({ values, histograms }: FacetCounts, rows: readonly Row[]): void {
  for (const { facet, value, n } of rows) values.get(facet)?.push({ value, count: n });
  for (const name of histograms.keys()) {
    const own = rows.filter(({ facet }) => facet === name);
    if (own.length > 0)
      histograms.set(name, toHistogram(own.map(({ value, n }) => ({ value: Number(value), count: n }))));
  }
}

/** Unprepared: the combinations of facets make too many texts to cache plans for. */
async function run<Found extends object>(pool: Pool, { text, values }: Statement): Promise<Found[]> {
  const { rows } = await pool.query<Found>(text, values);
  return rows;
}
