import { searchWarnings } from '../../shared/search/warnings.ts';
import { randomUUID } from 'node:crypto';
import { forbidden, invalid } from '../../shared/kit/errors.ts';
import { readCards, type CardRow } from '../../shared/listings/card.ts';
import { distanceKm } from '../../shared/places/area.ts';
import type { ExchangeRates } from '../../shared/rates/exchange-rates.ts';
import type { FoundPage } from '../../shared/search/engine.ts';
import { readFilters } from '../../shared/search/filters.ts';
import { readFacets, type Facet } from '../../shared/search/postgres/facet.ts';
import { highlightPage } from '../../shared/search/postgres/highlight.ts';
import { explainRanking } from '../../shared/search/postgres/explain-ranking.ts';
import { effectiveSort, nowAtPosition, type Search } from '../../shared/search/search.ts';
import type { Request, Result } from '../http/types.ts';
import type { Handler } from '../handler.ts';
import type { Searched } from '../counting/search-terms.ts';
import type { Services } from '../services.ts';
import { readCursor, writeCursor } from './cursor.ts';
import { readFields, trim } from './fields.ts';
import { MARKDOWN, renderCatalog } from './markdown.ts';
import { presentCard, presentFacets, viewOf, type ListingItem } from './present.ts';
import { isAdministrator } from '../http/authenticate.ts';
import { scopeOf } from './visibility.ts';

type Page = Exclude<Result<'searchListings', 200>, string>;
type Query = Request<'searchListings'>['query'];
type PageRequest = Request<'searchListings'> | Request<'searchListingsMarkdown'>;

/** One page of the listings that match every filter, as JSON or, for a reader who prefers it, as Markdown. */
export const searchListings: Handler<'searchListings'> = async (services, request) => {
  if (request.wantsMarkdown) return answerMarkdown(services, request);
  const { explain = false } = request.query;
  if (explain && !isAdministrator(request.caller)) throw forbidden('Only administrators are told why results rank.');
  const fields = readFields(request.query.fields);
  const facets = readFacets(request.query.facets, request.query.category, services.catalog);
  const { page, search, searched, found } = await readPage(services, request, facets, explain);
  // Excerpts are typed apart in the contract (ListingExcerptPage): the ordinary answer is no union for who reads it.
  const results = fields ? (page.results.map((result) => trim(result, fields)) as Page['results']) : page.results;
  const explained = explain ? await explainRanking(services.pool, search, found) : undefined;
  const body: Page = {
    ...page,
    results,
    ...(found.facets && presentFacets(found.facets, viewOf(services, request))),
    ...(explained && { explanation: { engine: found.engine, ...explained } }),
    ...(explain && !explained && { warnings: [...(page.warnings ?? []), NOT_EXPLAINED] }),
  };
  return {
    status: 200,
    headers: headersOf(request, found),
    effects: searched && { searched },
    isFleeting: found.isFleeting,
    body,
  };
};

const NOT_EXPLAINED = "Only the order 'relevance' of words in 'q' is explained.";

/** The same search as a Markdown catalog. */
export const searchListingsMarkdown: Handler<'searchListingsMarkdown'> = (services, request) =>
  answerMarkdown(services, request);

async function answerMarkdown(services: Services, request: PageRequest) {
  const { page, asked, searched, found } = await readPage(services, request, []);
  const body = { text: renderCatalog(page, asked, request.links), type: MARKDOWN };
  return {
    status: 200 as const,
    headers: headersOf(request, found),
    effects: { searched },
    isFleeting: found.isFleeting,
    body,
  };
}

const headersOf = ({ locale }: PageRequest, { engine }: { engine: string }) => ({
  'Content-Language': locale,
  Vary: 'Accept-Language, Accept',
  'X-Search-Engine': engine,
});

async function readPage(services: Services, request: PageRequest, facets: readonly Facet[], explain = false) {
  const { query } = request;
  const { status = 'active', limit = 20 } = query;
  const rates = query.currency === undefined ? undefined : await services.rates.read();
  const { search, warnings, identity } = readSearch(services, request, rates);
  const startedAt = performance.now();
  const found = await services.searcher.findPage({
    search,
    facets,
    facetLimit: facetLimitOf(query),
    readerId: request.caller?.userId,
    explain,
  });
  const ms = performance.now() - startedAt;
  const ids = found.hits.map(({ id }) => id);
  const cards = found.cards ?? (await readCards(services.pool, ids, request.locale));
  const highlights = await findHighlights(services, request, found, cards);
  const view = { ...viewOf(services, request), conversion: search.filters.conversion };
  const all = [...ignored(request.unknownQuery), ...warnings, ...found.warnings];
  const number = Math.floor((search.after?.seen ?? search.offset) / limit) + 1;
  // What was found only after a correction, or among the caller's own drafts, is not what these words find.
  const isCounted = search.filters.q !== undefined && number === 1 && status === 'active' && !search.after;
  const searched: Searched = {
    q: search.filters.q ?? '',
    results: found.warnings.length > 0 ? 0 : found.total,
    hasFailed: found.total === 0,
    ms,
  };
  const secrets = services.config.jwtSecrets;
  const page = {
    results: cards.map((card): ListingItem => ({
      ...presentCard(card, view),
      ...presentDistance(card, search),
      ...(highlights?.has(card.id) && { highlight: highlights.get(card.id) }),
    })),
    pagination: {
      page: number,
      limit,
      total: found.total,
      pages: Math.ceil(found.total / limit),
      next_cursor: found.next ? writeCursor(found.next, identity, secrets) : null,
    },
    ...(all.length > 0 && { warnings: all }),
    ...(found.corrected && { corrected: found.corrected }),
  };
  // Catalogs lead on by number; the next page of a random order needs the seed of this one.
  const ofJson = {
    cursor: undefined,
    explain: undefined,
    highlight: undefined,
    facets: undefined,
    facet_limit: undefined,
    fields: undefined,
  };
  const asked = { ...query, ...ofJson, ...(query.sort === 'random' && { seed: search.seed }) };
  return { page, search, asked, found, ...(isCounted && { searched }) };
}

/** Where the words were found, when that is asked for: as the engine tells, for other rows as PostgreSQL finds them in what is shown. */
async function findHighlights(
  { pool }: Services,
  { query, wantsMarkdown }: PageRequest,
  found: FoundPage,
  cards: readonly CardRow[],
) {
  const q = query.q?.trim();
  const isAsked = 'highlight' in query && query.highlight === true && !wantsMarkdown;
  if (!isAsked || !q) return undefined;
  const { all, relaxed } = found.textQuery ?? {};
  const { highlights = new Map() } = found;
  const others = cards.filter(({ id }) => !highlights.has(id));
  return new Map([...highlights, ...(await highlightPage(pool, { q, all, relaxed }, others))]);
}

/** How far a listing is from the point that listings are to be near. */
function presentDistance({ lat, lng }: CardRow, { filters: { near } }: Search) {
  if (!near || lat === null || lng === null) return {};
  return { distance_km: Math.round(distanceKm(near, { lat, lng }) * 10) / 10 };
}

const facetLimitOf = (query: { facet_limit?: number }) => query.facet_limit ?? 20;

function readSearch(services: Services, { query, caller, locale }: PageRequest, rates: ExchangeRates | undefined) {
  const { catalog, profile, clock } = services;
  const { page, limit = 20, status = 'active', cursor } = query;
  if (page !== undefined && cursor !== undefined) throw refuse('cursor', 'cannot go together with page');
  const { filters, warnings } = readFilters(query, catalog, rates);
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
    weights: profile.searchWeights,
    now: after ? nowAtPosition(after) : startOfMinute(clock.now()),
  };
  return { search, warnings, identity };
}

/** What a cursor is good for: the order, and the parameters that decide what is found, in whatever order they were sent. */
export function identifySearch(query: Query, sort: Search['sort']): string {
  const { page: _1, cursor: _2, limit: _3, lang: _4, fields: _5, facets: _6, facet_limit: _7, ...others } = query;
  const { explain: _8, highlight: _9, ...searched } = others;
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

const ignored = (names: string[]) => names.map((name) => searchWarnings.unknownParameter(name));
