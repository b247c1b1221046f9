import type { Selectable } from 'kysely';
import type { Database } from '../../db/client.ts';
import type { SavedSearches } from '../../db/types.gen.ts';
import type { Catalog } from '../catalog/tree.ts';
import { conflict, notFound } from '../kit/errors.ts';
import { newId } from '../kit/ids.ts';
import type { Tx } from '../queues/jobs.ts';
import { discardPendingNews, nextDigestAt, type Notify } from './digests.ts';
import { removeFilters, storeFilters } from './filters.ts';
import { splitList } from '../search/value-list.ts';
import { readSavedQuery, type SavedQuery } from './query.ts';

export const MAX_SAVED_SEARCHES = 100;

export type SavedSearch = Pick<Selectable<SavedSearches>, 'id' | 'name' | 'query_params' | 'notify' | 'created_at'>;

const columns = ['id', 'name', 'query_params', 'notify', 'created_at'] as const;

type Wish = {
  userId: string;
  name: string;
  query: SavedQuery;
  notify: Notify;
  /** What mistyped words were corrected to, or the other ways to say them: a tsquery as text. */
  corrected?: string | undefined;
};

/** The searches of a user, the newest first. */
export function listSavedSearches(db: Database, userId: string): Promise<SavedSearch[]> {
  return db
    .selectFrom('saved_searches')
    .select(columns)
    .where('user_id', '=', userId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(MAX_SAVED_SEARCHES)
    .execute();
}

/** Saves a search; from now on its owner has news of it. 409 when the user has as many as a user may have. */
export async function saveSearch(tx: Tx, catalog: Catalog, now: Date, wish: Wish): Promise<SavedSearch> {
  const { userId, name, query, notify, corrected } = wish;
  // One after the other for each user: nobody counts while another adds.
  await tx.selectFrom('users').select('id').where('id', '=', userId).forNoKeyUpdate().executeTakeFirst();
  const { n } = await tx
    .selectFrom('saved_searches')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  if (n >= MAX_SAVED_SEARCHES)
    throw conflict(`You have ${MAX_SAVED_SEARCHES} saved searches; delete one to save another.`);
  const saved = await tx
    .insertInto('saved_searches')
    .values({
      id: newId('saved_search'),
      user_id: userId,
      name,
      notify,
      corrected,
      query_params: JSON.stringify(query),
      created_at: now,
    })
    .returning([...columns, 'user_id', 'corrected'])
    .executeTakeFirstOrThrow();
  if (notify !== 'off') await watch(tx, catalog, saved);
  return saved;
}

/**
 * Renames a search, or has its owner told at other times. Switched off, nothing is sought any more and what was found is
 * not told; switched on again, it is about what comes from now on. 404 unless the search is this user's.
 */
export async function changeSearch(
  tx: Tx,
  catalog: Catalog,
  now: Date,
  { id, userId, name, notify }: { id: string; userId: string; name?: string | undefined; notify?: Notify | undefined },
): Promise<SavedSearch> {
  const known = await tx
    .selectFrom('saved_searches')
    .select([...columns, 'user_id', 'corrected', 'due_at'])
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .forUpdate()
    .executeTakeFirst();
  if (!known) throw notFound('saved search', id);
  const wish = notify ?? (known.notify as Notify);
  const isOther = wish !== known.notify;
  const due_at = !isOther ? known.due_at : wish === 'off' || !known.due_at ? null : nextDigestAt(wish, now);
  const changed = await tx
    .updateTable('saved_searches')
    .set({ name: name ?? known.name, notify: wish, due_at })
    .where('id', '=', id)
    .returning(columns)
    .executeTakeFirstOrThrow();
  if (isOther && wish === 'off') {
    await removeFilters(tx, id);
    await discardPendingNews(tx, id, now);
  } else if (known.notify === 'off' && isOther) await watch(tx, catalog, known);
  return changed;
}

/** Ends the mails and events of a search, as its link in a mail asks; nothing happens when it is not there any more. */
export async function unsubscribeFromSearch(tx: Tx, id: string, now: Date): Promise<void> {
  // A lock that waits for whoever is finding news of it.
  await tx.selectFrom('saved_searches').select('id').where('id', '=', id).forUpdate().executeTakeFirst();
  await tx.updateTable('saved_searches').set({ notify: 'off', due_at: null }).where('id', '=', id).execute();
  await removeFilters(tx, id);
  await discardPendingNews(tx, id, now);
}

/** Deletes a search with all that was found for it. 404 unless it is this user's. */
export async function deleteSearch(tx: Tx, id: string, userId: string): Promise<void> {
  const gone = await tx
    .deleteFrom('saved_searches')
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .returning('id')
    .executeTakeFirst();
  if (!gone) throw notFound('saved search', id);
}

async function watch(
  tx: Tx,
  catalog: Catalog,
  search: { id: string; user_id: string; query_params: unknown; corrected: string | null },
): Promise<void> {
  const query = search.query_params as SavedQuery;
  const { filters } = readSavedQuery(query, catalog);
  const categoryIds = splitList(query.category)?.flatMap((name) => catalog.find(name)?.id ?? []);
  await storeFilters(tx, {
    id: search.id,
    userId: search.user_id,
    categoryIds,
    filters,
    corrected: search.corrected ?? undefined,
  });
}
