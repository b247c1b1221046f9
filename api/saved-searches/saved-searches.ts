import { inTransaction } from '../../db/client.ts';
import { correctFilters } from '../../shared/saved-searches/correct.ts';
import { readSavedQuery } from '../../shared/saved-searches/query.ts';
import {
  changeSearch,
  deleteSearch,
  listSavedSearches as findAll,
  saveSearch,
} from '../../shared/saved-searches/save.ts';
import type { AuthenticatedHandler } from '../handler.ts';
import { presentSavedSearch } from './present.ts';

/** All searches of the caller, the newest first. */
export const listSavedSearches: AuthenticatedHandler<'listSavedSearches'> = async ({ db }, { caller }) => {
  const rows = await findAll(db, caller.userId);
  return { status: 200, body: { results: rows.map(presentSavedSearch) } };
};

/** Saves a search of the caller, whose filters are read like those of the search itself; 409 beyond a hundred. */
export const createSavedSearch: AuthenticatedHandler<'createSavedSearch'> = async (services, { caller, body }) => {
  const { db, pool, catalog, clock } = services;
  const { name, query_params: query, notify = 'daily' } = body;
  const now = clock.now();
  const rates = query.currency === undefined ? undefined : await services.rates.read();
  const { filters, warnings } = readSavedQuery(query, catalog, rates);
  const { corrected, warnings: more } = await correctFilters(pool, { filters, status: query.status }, now);
  const wish = { userId: caller.userId, name: name.trim(), query, notify, corrected };
  const saved = await inTransaction(db, (tx) => saveSearch(tx, catalog, now, wish));
  const all = [...warnings, ...more];
  return { status: 201, body: { ...presentSavedSearch(saved), ...(all.length > 0 && { warnings: all }) } };
};

/** Renames a search of the caller, or has its news told at other times; 404 for those of others. */
export const updateSavedSearch: AuthenticatedHandler<'updateSavedSearch'> = async (services, request) => {
  const { db, catalog, clock } = services;
  const { caller, params, body } = request;
  const change = { id: params.id, userId: caller.userId, name: body.name?.trim(), notify: body.notify };
  const changed = await inTransaction(db, (tx) => changeSearch(tx, catalog, clock.now(), change));
  return { status: 200, body: presentSavedSearch(changed) };
};

/** Deletes a search of the caller with all that was found for it; 404 for those of others. */
export const deleteSavedSearch: AuthenticatedHandler<'deleteSavedSearch'> = async ({ db }, { caller, params }) => {
  await inTransaction(db, (tx) => deleteSearch(tx, params.id, caller.userId));
  return { status: 200, body: { id: params.id, deleted: true } };
};
