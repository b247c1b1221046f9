import { randomUUID } from 'node:crypto';
import { readFilters } from '../../shared/listings/filters.ts';
import { effectiveSort, searchListings as findListings } from '../../shared/listings/search.ts';
import type { Handler, Request, Result } from '../http/types.ts';
import type { Services } from '../services.ts';
import { MARKDOWN, renderCatalog } from './markdown.ts';
import { presentCard, viewOf } from './present.ts';
import { scopeOf } from './visibility.ts';

type Page = Exclude<Result<'searchListings', 200>, string>;

/** One page of the listings that match every filter, as JSON or, for a reader who prefers it, as Markdown. */
export const searchListings: Handler<'searchListings'> = async (services, request) => {
  const page = await readPage(services, request);
  const headers = { 'Content-Language': request.locale, Vary: 'Accept-Language, Accept' };
  if (!request.wantsMarkdown) return { status: 200, headers, body: page };
  return { status: 200, headers, body: { text: renderCatalog(page, request.links), type: MARKDOWN } };
};

/** The same search as a Markdown catalog. */
export const searchListingsMarkdown: Handler<'searchListingsMarkdown'> = async (services, request) => {
  const page = await readPage(services, request);
  const headers = { 'Content-Language': request.locale, Vary: 'Accept-Language, Accept' };
  return { status: 200, headers, body: { text: renderCatalog(page, request.links), type: MARKDOWN } };
};

async function readPage(
  services: Services,
  request: Request<'searchListings'> | Request<'searchListingsMarkdown'>,
): Promise<Page> {
  const { pool, catalog, profile, clock } = services;
  const { query, caller, locale } = request;
  const { page = 1, limit = 20, status = 'active', seed = randomUUID() } = query;
  const { filters, warnings } = readFilters(query, catalog);
  const found = await findListings(pool, {
    filters,
    scope: scopeOf(status, caller, profile),
    sort: effectiveSort(query.sort, profile.defaultSort, filters.q),
    seed,
    offset: (page - 1) * limit,
    limit,
    locale,
    now: clock.now(),
  });
  const view = viewOf(services, request);
  const all = [...ignored(request.unknownQuery), ...warnings, ...found.warnings];
  return {
    results: found.rows.map((row) => presentCard(row, view)),
    pagination: { page, limit, total: found.total, pages: Math.ceil(found.total / limit) },
    ...(all.length > 0 && { warnings: all }),
  };
}

const ignored = (names: string[]) => names.map((name) => `The query parameter '${name}' is unknown and was ignored.`);
