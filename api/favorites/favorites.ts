import { inTransaction } from '../../db/client.ts';
import { notFound } from '../../shared/kit/errors.ts';
import { deleteFavorite, findFavorites, lockFavoriteTarget, insertFavorite } from '../../shared/favorites/favorites.ts';
import type { AuthenticatedHandler } from '../handler.ts';
import { presentCard, viewOf } from '../listings/present.ts';
import { paginationOf } from '../http/pagination.ts';
import { mayRead, scopeOf } from '../listings/visibility.ts';

/** One page of the caller's favorites, last added first; those that the caller may not read any more are left out. */
export const listFavorites: AuthenticatedHandler<'listFavorites'> = async (services, request) => {
  const { page = 1, limit = 20, listing_id: listing } = request.query;
  const { caller, locale } = request;
  const scope = scopeOf('all', caller, services.profile);
  const asked = { userId: caller.userId, listing, scope, offset: (page - 1) * limit, limit, locale };
  const { rows, total } = await findFavorites(services.pool, asked);
  const view = viewOf(services, request);
  const body = {
    results: rows.map((row) => presentCard(row, view)),
    pagination: paginationOf(page, limit, total),
  };
  return { status: 200, body, headers: { 'Content-Language': locale, Vary: 'Accept-Language' } };
};

/** Adds a listing that the caller may read to their favorites; adding it again changes nothing. */
export const addFavorite: AuthenticatedHandler<'addFavorite'> = async ({ db, clock, profile }, { caller, body }) => {
  const listing_id = await inTransaction(db, async (tx) => {
    const listing = await lockFavoriteTarget(tx, body.listing_id);
    if (!listing || listing.status === 'deleted' || !mayRead(listing, caller, profile))
      throw notFound('listing', body.listing_id);
    await insertFavorite(tx, caller.userId, listing.id, clock.now());
    return listing.id;
  });
  return { status: 200, body: { listing_id, favorited: true } };
};

/** Takes a listing from the caller's favorites; 404 when it was none and the caller may not read it either. */
export const removeFavorite: AuthenticatedHandler<'removeFavorite'> = async ({ db, profile }, { caller, params }) => {
  const listing_id = await inTransaction(db, async (tx) => {
    const listing = await lockFavoriteTarget(tx, params.listingId);
    if (!listing) throw notFound('listing', params.listingId);
    const wasFavorite = await deleteFavorite(tx, caller.userId, listing.id);
    if (!wasFavorite && !mayRead(listing, caller, profile)) throw notFound('listing', params.listingId);
    return listing.id;
  });
  return { status: 200, body: { listing_id, favorited: false } };
};
