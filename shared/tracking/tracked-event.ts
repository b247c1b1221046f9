import { normalizeTerm } from '../search/terms.ts';

/** The events that a front end may report. */
export const eventNames = ['page_view', 'signup', 'listing_created', 'search', 'listing_view'] as const;
export type EventName = (typeof eventNames)[number];

/** One reported event as it is stored. */
export type TrackedEvent = {
  event: EventName;
  path: string | null;
  referrer: string | null;
  user_agent: string | null;
  user_id: string | null;
  listing_id: string | null;
  query: string | null;
  results_count: number | null;
  metadata: string | null;
  created_at: Date;
};

const MAX_KEY_LENGTH = 500;

/** A search as it is kept: null for words that may be somebody's address or telephone number, which are nobody's business. */
export const searchedWords = (query: string | undefined) =>
  query === undefined ? null : (normalizeTerm(query) ?? null);

/** What an event is counted under: the path of a page without its query, the words of a search, a listing; undefined for others. */
export function keyOf({ event, path, query, listing_id: listingId }: TrackedEvent): string | undefined {
  switch (event) {
    case 'page_view':
      return (path && pathOnly(path)) || undefined;
    case 'search':
      return query ?? undefined;
    case 'listing_view':
      return listingId ?? undefined;
    default:
      return undefined;
  }
}

/** What follows a question mark or a hash sign tells visitors apart, not pages. */
function pathOnly(path: string): string {
  const [page = ''] = path.split(/[?#]/, 1);
  return [...page].slice(0, MAX_KEY_LENGTH).join('');
}
