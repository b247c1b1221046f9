import { readFilters } from '../../shared/search/filters.ts';
import { publishDrafts, type PublishScope } from '../../shared/listings/publish.ts';
import { findPublishable } from '../../shared/search/publish-search.ts';
import { isAdministrator } from '../http/authenticate.ts';
import { countPublications } from '../listings/count-publications.ts';
import type { AuthenticatedHandler } from '../handler.ts';

/** The answer does not name what was published. */
const effects = { changed: { listings: 'all' } } as const;
const statuses = ['draft', 'active', 'paused', 'sold', 'expired', 'flagged'];

/**
 * Publishes many drafts: those named in `ids`, those that match the filters (of the named ones, when both are given), or all;
 * of the caller, for an administrator of everybody. Bulk publishing mails nobody.
 */
export const publishBulk: AuthenticatedHandler<'publishBulk'> = async (services, { query, body, caller }) => {
  const { pool, catalog, clock } = services;
  const sellerId = isAdministrator(caller) ? undefined : caller.userId;
  const scope: PublishScope = {
    sellerId,
    countPublications: (tx, count) => countPublications(tx, services, caller, count),
  };
  const named = body?.ids;
  const { status, include_unpriced: _, ...wishes } = query;
  const isFiltered =
    Object.values(wishes).some((wish) => wish !== undefined) || (status !== undefined && status !== 'draft');
  if (named && !isFiltered) return { status: 200, body: await publishDrafts(services, named, scope), effects };

  const { filters } = readFilters(query, catalog);
  const considered = named || status === 'all' ? statuses : [status ?? 'draft'];
  const matching = await findPublishable(pool, { filters, sellerId, statuses: considered, among: named }, clock.now());
  const outcome = await publishDrafts(
    services,
    matching.map(({ id }) => id),
    scope,
  );
  const found = new Set(matching.flatMap(({ id, slug }) => [id, slug]));
  const others = (named ?? []).filter((name) => !found.has(name));
  const skipped = [
    ...outcome.skipped,
    ...others.map((id) => ({ id, reason: 'The listing does not match the filters.' })),
  ];
  return { status: 200, body: { ...outcome, skipped }, effects };
};
