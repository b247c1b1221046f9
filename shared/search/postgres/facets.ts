import type { Pool } from 'pg';
import type { Catalog } from '../../catalog/tree.ts';
import { invalid } from '../../kit/errors.ts';
import type { FilterName, ListingFilters } from '../filters.ts';
import { splitList, type ValueList } from '../value-list.ts';
import { assetTypesOf, kindsOf, withoutAttribute } from '../filters-attributes.ts';
import { facetColumns, type Facet } from './facet.ts';
import { countFromCounters, hasCounters } from './facet-counters.ts';
import { fitsFilters, fromMatches } from './filter-first.ts';
import { createParameters, type Parameters } from './parameters.ts';
import { inScope, type Search, type Statement } from './statement.ts';
import { needsListing, renderTypedQuery, textMatches } from './text-search.ts';
import { canScanInOrder } from './ordered-scan.ts';
import { COUNT_LIMIT, selectMatchesByIndex } from './total.ts';

export type FacetValue = { value: string; count: number };

/** The values of each facet, and which of them are estimates. */
export type FacetCounts = { values: Map<string, FacetValue[]>; approximate: string[] };

/** Up to here matches are counted exactly: by columns, which indexes cover, and by attributes, in wide rows. */
const EXACT = 10_000;
const EXACT_ATTRIBUTES = 2_000;
/** Above, about so many of the matches are sampled; of very many, the matches within a sample of all listings. */
const PICKED = 1_000;
const SAMPLE = 10_000;
const MAX_FACETS = 10;
/** Statements of one search that run at the same time. */
const SIDE_BY_SIDE = 2;

/** Reads `facets=…`; a facet that there is not, or more than ten of them, throws a validation_error. */
export function readFacets(names: string | undefined, category: ValueList | undefined, catalog: Catalog): Facet[] {
  const asked = names === undefined ? [] : [...new Set(names.split(','))];
  if (asked.length > MAX_FACETS) throw refuse(`must be at most ${MAX_FACETS}`);
  return asked.map((name) => {
    if (Object.hasOwn(facetColumns, name)) return { name, column: facetColumns[name]!, filter: name as FilterName };
    const attribute = name.startsWith('attr.') ? name.slice('attr.'.length) : undefined;
    if (attribute === undefined)
      throw refuse(`has no '${name}'; there are ${Object.keys(facetColumns).join(', ')}, attr.…`);
    const kinds = attributeKinds(attribute, category, catalog);
    if (kinds.size === 0) throw refuse(`has no '${name}': no such attribute can be filtered by`);
    if (kinds.has('number'))
      throw refuse(`has no '${name}': it is a number; filter by min_${attribute}, max_${attribute}`);
    return { name, attribute };
  });
}

function attributeKinds(key: string, names: ValueList | undefined, catalog: Catalog) {
  const categories = (splitList(names) ?? []).flatMap((name) => catalog.find(name) ?? []);
  return kindsOf(key, categories.length > 0 ? assetTypesOf(categories, catalog) : catalog.assetTypes());
}

const refuse = (message: string) => invalid('The facets are not valid.', [{ path: '/query/facets', message }]);

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
  const counts: FacetCounts = { values: new Map(facets.map(({ name }) => [name, []])), approximate: [] };
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

/** Facets over the same matches; `known` is their number if known, `least` a lower bound. */
type Group = { search: Search; facets: readonly Facet[]; known: number | undefined; least: number };

function split<T>(all: readonly T[], condition: (each: T) => boolean): [T[], T[]] {
  return [all.filter(condition), all.filter((each) => !condition(each))];
}

const isColumn = (facet: Facet) => 'column' in facet;

/** Whether a facet narrows the search itself. */
export const hasOwnFilter = (filters: ListingFilters, facet: Facet) =>
  'attribute' in facet
    ? (filters.attributes ?? []).some(({ key }) => key === facet.attribute)
    : filters[facet.filter] !== undefined;

/** The search without what a facet narrows. */
export function withoutOwnFilter(search: Search, facet: Facet): Search {
  const { filters } = search;
  if ('attribute' in facet)
    return { ...search, filters: { ...filters, attributes: withoutAttribute(filters.attributes, facet.attribute) } };
  return { ...search, filters: { ...filters, [facet.filter]: undefined } };
}

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
  const [counted] = await run<{ total: number }>(pool, { name: 'facets-total', text, values: parameter.values });
  return counted?.total ?? 0;
}

/** Counts facets over the first `most` matches. */
function countFirst(search: Search, facets: readonly Facet[], limit: number, most: number): Statement {
  const parameter = createParameters();
  const hits = selectMatches(search, facets, parameter, (table) => selectValues(facets, table, parameter));
  return countHits(`${hits} limit ${parameter('most', most)}`, facets, limit, parameter);
}

/** Counts facets over one in `every` matches, sampled by id. */
function countPicked(search: Search, facets: readonly Facet[], limit: number, every: number): Statement {
  const parameter = createParameters();
  const all = selectMatches(search, [], parameter, (table) => (table === 's' ? 's.listing_id as id' : 'l.id'));
  // A table of its own: joined at once, PostgreSQL would read the wide rows of all that it looks at to pick some.
  const picked = `picked as materialized (select found.id from (${all}) as found
    where hashtextextended(found.id, 0) % ${parameter('every', every)}::bigint = 0)`;
  const hits = `select ${selectValues(facets, 'l', parameter)} from picked join listings l on l.id = picked.id`;
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
  const values = facets.map(
    (facet, index) => `case when ${fits[index]} then ${valueOf(facet, 'l', parameter)}::text end as v${index}`,
  );
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
    const wide = needsListing(search) || facets.some((facet) => 'attribute' in facet);
    const query = renderTypedQuery(search, parameter, search.corrected);
    return `select ${select(wide ? 'l' : 's')} ${textMatches(search, parameter, query, wide)}`;
  }
  if (canScanInOrder(search)) return selectMatchesByIndex(search, parameter, select('l'));
  return `select ${select('l')} from ${fromMatches(search, parameter)}`;
}

const selectValues = (facets: readonly Facet[], table: string, parameter: Parameters) =>
  facets.map((facet, index) => `${valueOf(facet, table, parameter)} as v${index}`).join(', ');

function countHits(
  hits: string,
  facets: readonly Facet[],
  limit: number,
  parameter: Parameters,
  ...before: string[]
): Statement {
  const arms = facets.map((facet, index) => {
    const group =
      'attribute' in facet
        ? `(array_agg(value order by n desc, value))[1] as value, sum(n)::int as n
            from (select v${index} as value, count(*) as n from hits where v${index} <> '' group by v${index}) as spelt group by lower(value)`
        : `v${index}::text as value, count(*)::int as n from hits where v${index} is not null group by v${index}`;
    return `(select ${parameter(`facet-${index}`, facet.name)}::text as facet, ${group} order by n desc, value limit ${parameter('values', limit)}::int)`;
  });
  const met = `(select '' as facet, '' as value, count(*)::int as n from hits)`;
  return {
    name: 'facets',
    text: `with ${[...before, `hits as materialized (${hits})`].join(', ')} ${[met, ...arms].join(' union all ')}`,
    values: parameter.values,
  };
}

const valueOf = (facet: Facet, table: string, parameter: Parameters) =>
  'attribute' in facet
    ? `${table}.attributes ->> ${parameter(facet.name, facet.attribute)}::text`
    : `${table}.${facet.column}`;

/** The share of the table to sample: as many rows as are soon read, all of a small one. */
async function sampleShare(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ rows: number }>({
    name: 'listings-estimated',
    text: `select reltuples::float8 as rows from pg_class where oid = 'listings'::regclass`,
  });
  return Math.min(1, SAMPLE / Math.max(SAMPLE, rows[0]?.rows ?? 0));
}

const scale = (rows: Row[], factor: number) => rows.map((row) => ({ ...row, n: Math.round(row.n * factor) }));

function addRows({ values }: FacetCounts, rows: readonly Row[]): void {
  for (const { facet, value, n } of rows) values.get(facet)?.push({ value, count: n });
}

/** Unprepared: the combinations of facets make too many texts to cache plans for. */
async function run<Found extends object>(pool: Pool, { text, values }: Statement): Promise<Found[]> {
  const { rows } = await pool.query<Found>(text, values);
  return rows;
}
