import { expect, test } from 'vitest';
import { testsOf } from './tests-of.ts';

test.each([
  ['shared/dedup/cap-score.ts', 'test/shared/dedup/cap-score.test.ts', 'imports it'],
  ['scrapers/crawl/child.ts', 'test/scrapers/crawl/process.test.ts', 'starts it as a process'],
  ['shared/adapters/heic-worker.ts', 'test/api/uploads/upload.test.ts', 'has it run in a thread'],
  ['api/listings/publish.ts', 'test/api/listings/publish.test.ts', 'calls it by its path'],
  ['workers/localize-images.ts', 'test/workers/localize-images.test.ts', 'works its queue'],
  ['db/migrations/0018_rentals.sql', 'test/db/schema-snapshot.test.ts', 'reads its folder'],
])('test:of %s runs %s, which %s', (file, expected) => {
  expect(testsOf(file)).toContain(expected);
});

test('test:of leaves out what only starts the whole product, unless --all asks for it', () => {
  const [near, all] = [testsOf('api/favorites/favorites.ts'), testsOf('api/favorites/favorites.ts', { all: true })];
  expect(near).toContain('test/api/favorites/favorites.test.ts');
  expect(near).not.toContain('test/api/uploads/upload.test.ts');
  expect(all).toEqual(expect.arrayContaining([...near, 'test/api/uploads/upload.test.ts']));
});

test('test:of a test runs it', () => {
  expect(testsOf('test/tests-of.test.ts')).toEqual(['test/tests-of.test.ts']);
});
