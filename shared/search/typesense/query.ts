import type { TextQuery } from '../postgres/text-search.ts';
import type { Search } from '../search.ts';
import { andConditions } from './conditions.ts';
import { filterBy, micros, MAX_EXACT_KM, orderField } from './filters.ts';
import { filterByWords, type KnownPairs } from './words.ts';

/** The parameters of one search, all of them in the search itself: common ones would overrule them. */
export type SearchParameters = Record<string, string | number | boolean>;

/** Beyond this depth Typesense keeps every earlier match in memory. */
const MAX_DEPTH = 10_000;

/** Typesense answers so many hits at a time. */
export const MAX_HITS = 250;

/** How many matches PostgreSQL reranks, with some spare for those that arrive meanwhile. */
export const RERANK_WINDOW = 500;

/**
 * Whether the index can answer: no random order, no approximated circles, nothing private to the caller, no deep pages.
 * Unsupported words are found on reading them (UnsupportedQuery).
 */
export function isSupported({ filters, scope, sort, after, offset, limit }: Search): boolean {
  const { near, q } = filters;
  const isPrivate = scope.own !== undefined || scope.everyone.length === 0 || scope.everyone.includes('draft');
  const isOtherOrder = sort === 'random' || (sort === 'distance' && after !== undefined);
  const end = (after?.seen ?? offset) + limit;
  const isDeep = end > (sort === 'relevance' ? RERANK_WINDOW : MAX_DEPTH);
  const isUnread = after !== undefined && q !== undefined && after.query === undefined;
  const isWide = near !== undefined && near.radiusKm > MAX_EXACT_KM;
  return ![isPrivate, isOtherOrder, isDeep, isUnread, isWide].some(Boolean);
}

/** The search for a page in an order that Typesense knows; `words` is what listings have to match, a tsquery. */
export function pageParameters(
  search: Search,
  collection: string,
  known: KnownPairs,
  words?: string,
): SearchParameters {
  return {
    ...matchParameters(search, collection, known, words),
    sort_by: sortBy(search),
    offset: search.after ? 0 : search.offset,
    // One more tells whether a page follows.
    limit: search.limit + 1,
    include_fields: 'id',
  };
}

/** What is found at all, in no order. */
export function matchParameters(
  search: Search,
  collection: string,
  known: KnownPairs,
  words: string | undefined,
): SearchParameters {
  return {
    collection,
    q: '*',
    query_by: 'status',
    filter_by: filterBy(search, words === undefined ? undefined : filterByWords(words, 'words', known)),
  };
}

/**
 * The searches for what is to be ranked: listings with all of the words, and those with some where they are asked for. Each in
 * the order that PostgreSQL takes its best from: promoted ones, those that have the words in the title, the newest.
 */
export function rankedParameters(
  search: Search,
  asked: TextQuery,
  collection: string,
  known: KnownPairs,
): { all?: SearchParameters; some?: SearchParameters } {
  const { all, relaxed, relaxedOnly, termWeights } = asked;
  const inTitle = (words: string) => filterByWords(words, 'title_words', known);
  const best = (words: string, tiers: readonly string[]): SearchParameters => ({
    ...matchParameters(search, collection, known, words),
    sort_by: `${inTiers(search, tiers)},sort_at:desc,sid:desc`,
    include_fields: 'id',
  });
  const telling = (termWeights?.words ?? []).toSorted((a, b) => b.weight - a.weight).slice(0, MAX_TELLING);
  return {
    ...(!(relaxedOnly && relaxed !== undefined) && { all: best(all, [inTitle(all)]) }),
    ...(relaxed !== undefined && {
      some: best(
        relaxed,
        bySize(telling).map((words) => andConditions(words.map((word) => inTitle(word.query)))),
      ),
    }),
  };
}

/** Of listings with some of the words, those first whose title has most of the words that tell most. */
const MAX_TELLING = 3;

/** All choices from these, the weightiest first. */
function bySize<Each extends { weight: number }>(all: readonly Each[]): Each[][] {
  const choices = Array.from({ length: 2 ** all.length - 1 }, (_, number) =>
    all.filter((_each, place) => ((number + 1) >> place) % 2 === 1),
  );
  const weightOf = (chosen: readonly Each[]) => chosen.reduce((sum, { weight }) => sum + weight, 0);
  return choices.toSorted((a, b) => weightOf(b) - weightOf(a));
}

/** The first condition that holds decides: promoted ones in the order of these tiers, then all others in it. */
function inTiers(search: Search, tiers: readonly string[]): string {
  const promoted = isPromoted(search);
  const conditions = [...tiers.map((tier) => andConditions([promoted, tier])), promoted, ...tiers];
  const scored = conditions.map((condition, index) => `(${condition}):${conditions.length - index}`);
  return `_eval([${scored.join(',')}]):desc`;
}

const isPromoted = ({ now }: Search) => `featured_until:>${micros(now)}`;

function sortBy(search: Search): string {
  const { near } = search.filters;
  const { field, isDescending } = orderField(search);
  switch (search.sort) {
    case 'distance':
      return `location(${near?.lat}, ${near?.lng}):asc,sid:asc`;
    case 'newest':
      return `_eval(${isPromoted(search)}):desc,sort_at:desc,sid:desc`;
    default:
      return `${field}:${isDescending ? 'desc' : 'asc'},sid:${isDescending ? 'desc' : 'asc'}`;
  }
}
