import { inTransaction } from '../../db/client.ts';
import { pageOwnerOf } from '../../shared/ingest/page-owner.ts';
import { leaseDuePages } from '../../shared/refresh/lease.ts';
import { queueRefreshes } from '../../shared/refresh/queue.ts';
import { readRefreshStats } from '../../shared/refresh/stats.ts';
import { isAdministrator, type Caller } from '../http/authenticate.ts';
import type { AuthenticatedHandler } from '../handler.ts';

/** The caller's own pages; for an administrator everybody's. */
const scopeOf = (caller: Caller) => ({
  sellerId: isAdministrator(caller) ? undefined : caller.userId,
});

/** Hands out pages that are due and that the caller's ingestion would update, to this caller alone while the lease lasts. */
export const nextRefreshes: AuthenticatedHandler<'nextRefreshes'> = async ({ db, clock }, { query, caller }) => {
  const { limit = 10 } = query;
  const scope = { ...scopeOf(caller), owner: pageOwnerOf(caller), limit };
  const pages = await inTransaction(db, (tx) => leaseDuePages(tx, scope, clock.now()));
  const results = pages.map(({ listing_id, url, site, scraped_at, due_at, misses }) => ({
    listing_id,
    url,
    site,
    last_scraped_at: scraped_at.toISOString(),
    due_at: due_at.toISOString(),
    misses,
  }));
  return { status: 200, body: { results } };
};

/** Queues a look of our own at pages that are due. */
export const processRefreshes: AuthenticatedHandler<'processRefreshes'> = async (services, { body, caller }) => {
  const { db, jobs, clock } = services;
  const limit = body?.limit ?? 100;
  const queued = await inTransaction(db, (tx) => queueRefreshes(tx, jobs, { ...scopeOf(caller), limit }, clock.now()));
  return { status: 202, body: { queued } };
};

/** How the refreshing of the caller's pages goes; for an administrator of everybody's. */
export const getRefreshStats: AuthenticatedHandler<'getRefreshStats'> = async ({ db, clock }, { caller }) => ({
  status: 200,
  body: await readRefreshStats(db, scopeOf(caller), clock.now()),
});
