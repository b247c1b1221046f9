import { expect, test, vi } from 'vitest';
import { buildCatalog } from '../../../shared/catalog/tree.ts';
import { profileOf } from '../../../shared/profiles/read-profile.ts';
import type { Filter, FilterQuery } from '../../../shared/search/filters.ts';

const nautical = profileOf('nautical');

/** A filter that there is not: one row, put into the table before anything derives from it. */
const row: Filter = { name: 'marina', kind: 'any', column: 'marina', facet: 'values', savedSearch: 'marinas' };
vi.resetModules();
const { filters, readFilters } = await import('../../../shared/search/filters.ts');
(filters as unknown as Filter[]).push(row);
const { renderFilter, fitsFilters } = await import('../../../shared/search/postgres/conditions.ts');
const { createParameters } = await import('../../../shared/search/postgres/statement.ts');
const { planFilterFirst } = await import('../../../shared/search/postgres/filter-first.ts');
const { canScanInOrder } = await import('../../../shared/search/postgres/ordered-scan.ts');
const { needsListing } = await import('../../../shared/search/postgres/text-search.ts');
const { hasOwnFilter, readFacets, withoutOwnFilter } = await import('../../../shared/search/postgres/facet.ts');
const { matchingPairs, newsTable } = await import('../../../shared/saved-searches/match.ts');

const catalog = buildCatalog(nautical);
const asked = { marina: 'Heiligenhafen,Laboe' } as FilterQuery;
const read = readFilters(asked, catalog).filters;
const search = {
  filters: read,
  scope: { everyone: ['active'] },
  sort: 'newest' as const,
  seed: '',
  offset: 0,
  limit: 20,
  locale: 'en',
  now: new Date(0),
};

test('a row of the table of filters is read from the query', () => {
  expect(read).toMatchObject({ marina: ['Heiligenhafen', 'Laboe'], impossible: false });
});

test('its condition and the plans with it derive from the row', () => {
  const parameter = createParameters();
  expect(renderFilter(row, read, parameter)).toBe('l.marina = any($1::text[])');
  expect(fitsFilters(read, parameter)).toContain('l.marina = any($1::text[])');
  expect(parameter.values).toEqual([['Heiligenhafen', 'Laboe']]);
  expect(planFilterFirst(search).text).toContain('l.marina = any(');
  expect([canScanInOrder(search), needsListing(search)]).toEqual([false, true]);
});

test('its facet derives from the row, and leaves its own filter out', () => {
  const [facet] = readFacets('marina', undefined, catalog);
  expect(facet).toEqual({ name: 'marina', column: 'marina', filter: 'marina', isNumber: false });
  expect(hasOwnFilter(read, facet!)).toBe(true);
  expect(withoutOwnFilter(search, facet!).filters).not.toMatchObject({ marina: expect.anything() });
});

test('saved searches are matched by its column', () => {
  expect(newsTable).toContain('l.marina');
  expect(matchingPairs).toContain('(f.marinas is null or n.marina = any(f.marinas))');
});
