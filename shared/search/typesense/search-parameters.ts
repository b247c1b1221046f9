import { needsConversion } from '../postgres/conditions.ts';
import type { Search } from '../search.ts';
import { filterBy, type FilterContext } from './filters.ts';
import { isKeyset, isPromoted, orderField, SORT_FIELDS } from './keyset.ts';
import type { SearchParameters } from './parameters.ts';
import { TEXT_MATCH, textParameters } from './relevance.ts';

/** Beyond this depth Typesense keeps every earlier match in memory. */
const MAX_DEPTH = 10_000;

/** Marks of highlights, which no text holds: texts are escaped before they are shown. */
export const MARKS = { start: '\uE000', end: '\uE001' };

/** Whether the index can answer: no random order, no comparison of currencies, nothing private to the caller, no far pages. */
export function isSupported(search: Search): boolean {
  const { scope, sort, limit } = search;
  const isPrivate = scope.own !== undefined || scope.everyone.length === 0 || scope.everyone.includes('draft');
  return !isPrivate && !needsConversion(search) && sort !== 'random' && offsetOf(search) + limit <= MAX_DEPTH;
}

/** How many listings come before a page that goes on by number. */
export const offsetOf = ({ after, offset }: Search) => after?.seen ?? offset;

/** What is found at all, in no order. */
export function matchParameters(search: Search, collection: string, context: FilterContext): SearchParameters {
  const { q } = search.filters;
  const { locale, sort, strict = false } = search;
  return {
    collection,
    ...(q === undefined
      ? { q: '*', query_by: 'title' }
      : textParameters(q, { locale, isRanked: sort === 'relevance', isStrict: strict, weights: search.weights })),
    filter_by: filterBy(search, context),
  };
}

/** One page in its order; one more hit than it has tells whether another follows. */
export function pageParameters(search: Search, collection: string, context: FilterContext): SearchParameters {
  const isByKey = search.after !== undefined && isKeyset(search);
  return {
    ...matchParameters(search, collection, context),
    sort_by: sortBy(search),
    offset: isByKey ? 0 : offsetOf(search),
    limit: search.limit + 1,
    include_fields: ['id', 'version', ...SORT_FIELDS].join(','),
    highlight_start_tag: MARKS.start,
    highlight_end_tag: MARKS.end,
    highlight_affix_num_tokens: 12,
    enable_highlight_v1: false,
  };
}

function sortBy(search: Search): string {
  const { near } = search.filters;
  const { field, isDescending } = orderField(search);
  const direction = isDescending ? 'desc' : 'asc';
  const promotedFirst = `_eval(${isPromoted(search)}):desc`;
  switch (search.sort) {
    case 'relevance':
      return `${promotedFirst},${TEXT_MATCH},sort_at:desc`;
    case 'distance':
      return `location(${near?.lat}, ${near?.lng}):asc,sid:asc`;
    case 'newest':
      return `${promotedFirst},sort_at:desc,sid:desc`;
    default:
      return `${field}:${direction},sid:${direction}`;
  }
}
