import { newId } from '../../shared/kit/ids.ts';
import { readCards } from '../../shared/listings/card.ts';
import { searchListings, type SearchResult, type Search } from '../../shared/search/search.ts';
import { storeListings, type Fields, type StoredListing } from '../api/listings/search-fixture.ts';
import { cloneDatabase, type TestDatabase } from './database.ts';

export type SearchDatabase = TestDatabase & {
  /** Stores listings of the one seller there is, published in June 2025 and without a description unless they say so. */
  store(listings: Fields[]): Promise<StoredListing[]>;
  /** The first active listings that a search for words finds on the first day of 2026, and their titles. */
  find(q: string, more?: Partial<Search>): Promise<SearchResult & { titles: string[] }>;
};

/** When searches are made. */
export const searchedAt = new Date('2026-01-01T00:00:00Z');

/** A database of a test file alone, for searches past the API. */
export async function cloneSearchDatabase(): Promise<SearchDatabase> {
  const database = await cloneDatabase();
  const seller = { id: newId('user') };
  await database.pool.query(
    `insert into users (id, email, name, created_at, updated_at) values ($1, 'a@example.com', 'Anna', now(), now())`,
    [seller.id],
  );
  return {
    ...database,
    store: (listings) =>
      storeListings(
        { database },
        seller,
        listings.map((fields) => ({ description: '', published_at: '2025-06-01T00:00:00Z', ...fields })),
      ),
    async find(q, more = {}) {
      const found = await searchListings(database.pool, {
        filters: { q, impossible: false },
        scope: { everyone: ['active'] },
        sort: 'relevance',
        seed: '',
        offset: 0,
        limit: 20,
        locale: 'en',
        now: searchedAt,
        ...more,
      });
      const ids = found.hits.map(({ id }) => id);
      const cards = await readCards(database.pool, ids, 'en');
      return { ...found, titles: cards.map(({ title }) => title) };
    },
  };
}
