import { beforeAll, expect, test } from 'vitest';
import { searchListings } from '../../../../shared/search/search.ts';
import type { Position, Search } from '../../../../shared/search/search.ts';
import { COUNT_LIMIT } from '../../../../shared/search/postgres/total.ts';
import { cloneSearchDatabase, searchedAt, type SearchDatabase } from '../../../support/search-database.ts';

/** More in one place than are ever sorted to find out where a page ends, and some farther and farther away. */
const IN_TOWN = COUNT_LIMIT + 50;
const AWAY = 60;

let database: SearchDatabase;
beforeAll(async () => {
  database = await cloneSearchDatabase();
  const places = Array.from({ length: IN_TOWN + AWAY }, (_, n) => ({
    lat: 54.3 + Math.max(0, n - IN_TOWN + 1) * 0.05,
    lng: 10.1,
  }));
  await database.store(places.map((place, n) => ({ title: `Boat ${n}`, ...place })));
});

const searchFrom = (after: Position | undefined): Search => ({
  filters: { near: { lat: 54.3, lng: 10.1, radiusKm: 2_000 }, impossible: false },
  scope: { everyone: ['active'] },
  sort: 'distance',
  seed: '',
  offset: 0,
  limit: 20,
  after,
  locale: 'en',
  now: searchedAt,
});

test('behind very many in one place the next nearest follow, each once, to the last', async () => {
  // The position of one of the last of those in town: all pages before it are of equal distance.
  const { rows } = await database.pool.query<{ id: string }>(
    `select id from listings where lat = 54.3 order by id offset $1 limit 1`,
    [IN_TOWN - 8],
  );
  let after: Position | undefined = {
    id: rows[0]!.id,
    key: '0',
    featured: false,
    seen: IN_TOWN - 7,
    total: COUNT_LIMIT,
  };
  const keys: number[] = [];
  const ids = new Set<string>();
  while (after) {
    const { hits, next } = await searchListings(database.pool, searchFrom(after));
    keys.push(...hits.map(({ key }) => Number(key)));
    for (const { id } of hits) ids.add(id);
    after = next;
  }
  expect(ids.size).toBe(7 + AWAY);
  expect(keys).toEqual(keys.toSorted((a, b) => a - b));
  expect(keys.filter((key) => key > 0)).toHaveLength(AWAY);
});
