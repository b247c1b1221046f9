import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { SearchWeights } from '../../profiles/profile.ts';
import type { ListingFilters } from '../filters.ts';
import type { Position } from '../query/position.ts';

export type Sort =
  | 'relevance'
  | 'newest'
  | 'oldest'
  | 'price_asc'
  | 'price_desc'
  | 'random'
  | 'year_desc'
  | 'length_desc'
  | 'distance'
  | 'updated_asc';

/** Which listings a caller may find: those of everyone in some statuses, and their own in some more. */
export type StatusScope = { everyone: readonly string[]; own?: { sellerId: string; statuses: readonly string[] } };

/** One page of one search, as a statement needs it. */
export type Search = {
  filters: ListingFilters;
  scope: StatusScope;
  /** `relevance` only with words to look for, `distance` only with a point to be near. */
  sort: Sort;
  /** Orders `random`. */
  seed: string;
  offset: number;
  limit: number;
  /** Where the page before has ended; `offset` is 0 then. */
  after?: Position;
  /** What to look for in place of `q`: a tsquery as text. */
  corrected?: string | undefined;
  /** Whether only listings with all of the words will do, mistyped or not. */
  strict?: boolean;
  /** Of the texts of what is found. */
  locale: string;
  /** What the marketplace makes of the parts of relevance; 1 each when absent. */
  weights?: SearchWeights;
  now: Date;
};

/** The text depends on no value, but on which parts a search has. */
export type Statement = { text: string; values: unknown[] };

/** Answers the placeholder of a value, the same one for the same name. */
export type Parameters = { (name: string, value: unknown): string; readonly values: unknown[] };

export function createParameters(): Parameters {
  const values: unknown[] = [];
  const placeholders = new Map<string, string>();
  const parameter = (name: string, value: unknown): string => {
    let placeholder = placeholders.get(name);
    if (placeholder === undefined) {
      placeholder = `$${values.push(value)}`;
      placeholders.set(name, placeholder);
    }
    return placeholder;
  };
  return Object.assign(parameter, { values });
}

const MAX_NAMES = 1_000;
const names = new LRUCache<string, string>({ max: MAX_NAMES });

/** The name to prepare a statement by: a hash of its text, made once. */
export function nameStatement(text: string): string {
  const known = names.get(text);
  if (known !== undefined) return known;
  const name = createHash('sha1').update(text).digest('base64url').slice(0, 16);
  names.set(text, name);
  return name;
}

/** Whether promoted listings come first: in the order `newest`, and in `relevance`. */
export const putsFeaturedFirst = ({ sort, scope }: Search) =>
  (sort === 'newest' || sort === 'relevance') && scope.everyone.includes('active');

/** The scope that most searches have, which has indexes of its own. */
export const isActiveOnly = ({ scope }: Search) =>
  scope.own === undefined && scope.everyone.length === 1 && scope.everyone[0] === 'active';

/** A page of a hundred listings, and one more that tells of a next page. */
const MAX_PAGE_ROWS = 101;

/** The bounds of a page. A page has few listings, which the planner would not know from a parameter. */
export function limitPage(rows: string, { limit, offset }: Search, parameter: Parameters): string {
  return `select * from (${rows} limit ${parameter('limit', limit)}::int offset ${parameter('offset', offset)}) as bounded limit ${MAX_PAGE_ROWS}`;
}

/**
 * Selects the rows (id, featured, key and what else is named) of the table expression `page` in an order, each with the total;
 * one row with the total alone when the page is empty.
 */
export const selectPage = (tables: string, order: string, total: string, more = '') =>
  `with ${tables} select page.id, page.featured, page.key::text as key, counted.total${more}
    from (select ${total} as total) as counted left join page on true ${order}`;
