import { randomUUID } from 'node:crypto';
import { invalid } from '../../shared/errors.ts';
import { readFilters } from '../../shared/listings/filters.ts';
import { countFacets, readFacets } from '../../shared/listings/search-facets.ts';
import { effectiveSort, nowBehind, searchListings as findListings, type Search } from '../../shared/listings/search.ts';
import type { Handler, Request, Result } from '../http/types.ts';
import type { Searched } from '../search-terms.ts';
import type { Services } from '../services.ts';
import { readCursor, writeCursor } from './cursor.ts';
import { readFields, trim } from './fields.ts';
import { MARKDOWN, renderCatalog } from './markdown.ts';
import { presentCard, presentFacets, viewOf, type ListingItem } from './present.ts';
import { scopeOf } from './visibility.ts';

type Page = Exclude<Result<'searchListings', 200>, string>;
type Query = Request<'searchListings'>['query'];
type PageRequest = Request<'searchListings'> | Request<'searchListingsMarkdown'>;

/** One page of the listings that match every filter, as JSON or, for a reader who prefers it, as Markdown. */
export const searchListings: Handler<'searchListings'> = async (services, request) => {
  if (request.wantsMarkdown) return answerMarkdown(services, request);
  const fields = readFields(request.query.fields);
  const facets = readFacets(request.query.facets, request.query.category, services.catalog);
  const { search, page, searched } = await readPage(services, request);
  const counted = await countFacets(services.pool, search, facets, {
    limit: request.query.facet_limit ?? 20,
    total: page.pagination.total,
  });
  const results = fields ? page.results.map((result) => trim(result, fields)) : page.results;
  const body: Page = { ...page, results, ...(counted && presentFacets(counted, viewOf(services, request))) };
  return { status: 200, headers: headersOf(request), searched, body };
};

/** The same search as a Markdown catalog. */
export const searchListingsMarkdown: Handler<'searchListingsMarkdown'> = (services, request) =>
  answerMarkdown(services, request);

async function answerMarkdown(services: Services, request: PageRequest) {
  const { page, asked, searched } = await readPage(services, request);
  const body = { text: renderCatalog(page, asked, request.links), type: MARKDOWN };
  return { status: 200 as const, headers: headersOf(request), searched, body };
}

const headersOf = ({ locale }: PageRequest) => ({ 'Content-Language': locale, Vary: 'Accept-Language, Accept' });

async function readPage(services: Services, request: PageRequest) {
  const { query } = request;
  const { status = 'active', limit = 20 } = query;
  const { search, warnings, identity } = readSearch(services, request);
  const found = await findListings(services.pool, search);
  const view = viewOf(services, request);
  const all = [...ignored(request.unknownQuery), ...warnings, ...found.warnings];
  const number = Math.floor((search.after?.seen ?? search.offset) / limit) + 1;
  // What was found only after a correction, or among the caller's own drafts, is not what these words find.
  const isCounted = search.filters.q !== undefined && number === 1 && status === 'active' && !search.after;
  const searched: Searched = { q: search.filters.q ?? '', results: found.warnings.length > 0 ? 0 : found.total };
  const secrets = services.config.jwtSecrets;
  const page = {
    results: found.rows.map((row): ListingItem => ({
      ...presentCard(row, view),
      ...(row.distance_km !== undefined && { distance_km: Math.round(row.distance_km * 10) / 10 }),
    })),
    pagination: {
      page: number,
      limit,
      total: found.total,
      pages: Math.ceil(found.total / limit),
      next_cursor: found.next ? writeCursor(found.next, identity, secrets) : null,
    },
    ...(all.length > 0 && { warnings: all }),
  };
  // Catalogs lead on by number; the next page of a random order needs the seed of this one.
  const asked = { ...query, cursor: undefined, ...(query.sort === 'random' && { seed: search.seed }) };
  return { search: { ...search, corrected: found.corrected }, page, asked, ...(isCounted && { searched }) };
}

function readSearch(services: Services, { query, caller, locale }: PageRequest) {
  const { catalog, profile, clock } = services;
  const { page, limit = 20, status = 'active', cursor } = query;
  if (page !== undefined && cursor !== undefined) throw refuse('cursor', 'cannot go together with page');
  const { filters, warnings } = readFilters(query, catalog);
  const sort = effectiveSort(query.sort, profile.defaultSort, filters.q);
  if (sort === 'distance' && !filters.near) throw refuse('sort', 'can be distance only together with near');
  const identity = identifySearch(query, sort);
  const after = cursor === undefined ? undefined : readCursor(cursor, identity, services.config.jwtSecrets);
  const search: Search = {
    filters,
    scope: scopeOf(status, caller, profile),
    sort,
    seed: after?.seed ?? query.seed ?? randomUUID(),
    offset: after ? 0 : ((page ?? 1) - 1) * limit,
    limit,
    after,
    locale,
    now: after ? nowBehind(after) : startOfMinute(clock.now()),
  };
  return { search, warnings, identity };
}

/** What a cursor is good for: the order, and the parameters that decide what is found, in whatever order they were sent. */
export function identifySearch(query: Query, sort: Search['sort']): string {
  const { page: _1, cursor: _2, limit: _3, lang: _4, fields: _5, facets: _6, facet_limit: _7, ...searched } = query;
  const sorted = (object: object) =>
    Object.entries(object)
      .filter(([, value]) => value !== undefined)
      .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([sort, sorted({ ...searched, attr: sorted(searched.attr ?? {}), sort: undefined })]);
}

/** A promotion stays first until the minute it ends in is over, so that pages read one after the other are of one mind. */
const startOfMinute = (now: Date) => new Date(now.getTime() - (now.getTime() % 60_000));

const refuse = (name: string, message: string) =>
  invalid('The query is not valid.', [{ path: `/query/${name}`, message }]);

const ignored = (names: string[]) => names.map((name) => `The query parameter '${name}' is unknown and was ignored.`);
