import type { OperationId } from '../http/contract.ts';
import type { Request } from '../http/types.ts';
import { searchListings } from '../listings/search.ts';
import type { Listing, ListingItem } from '../listings/present.ts';
import type { Services } from '../services.ts';

type FeedRequest = Request<Extract<OperationId, 'getListingsAtom' | 'getListingsRss' | 'getProducts'>>;
type Query = Request<'searchListings'>['query'];
export type FeedPage = {
  results: ListingItem[];
  pagination: { page: number; limit: number; total: number; pages: number };
};

/**
 * One page of the search that a feed is of, by the search's own rules. What reads feeds are programs that come again and again:
 * they are not counted among what people search for.
 */
export async function searchForFeed(
  services: Services,
  request: FeedRequest,
  changes: Partial<Query> = {},
): Promise<FeedPage> {
  const query: Query = { ...request.query, ...changes };
  const { body } = await searchListings(services, { ...request, query, wantsMarkdown: false });
  return body as FeedPage;
}

/** The parameters of a search as the query of an address has them; the page is not one of them. */
export function addressQueryOf({ query }: FeedRequest): Record<string, string> {
  const { page: _page, limit: _limit, attr = {}, ...plain } = query as Query;
  const attributes = Object.entries(attr).map(([key, value]): [string, unknown] => [`attr[${key}]`, value]);
  const sent = [...Object.entries(plain), ...attributes].filter(
    ([name, value]) => value !== undefined && value !== null && !(name === 'include_unpriced' && value === false),
  );
  return Object.fromEntries(
    sent.map(([name, value]) => [name, Array.isArray(value) ? value.join(',') : String(value)]),
  );
}

const EXCERPT = 500;

/** The beginning of what a listing says, in one line. */
export const excerptOf = ({ description }: Pick<Listing, 'description'>, length = EXCERPT): string =>
  [...description.replaceAll(/\s+/g, ' ').trim()].slice(0, length).join('');
