import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type Json, type TestApp, type TestUser } from '../../support/app.ts';
import { storeListings } from './search-fixture.ts';

let app: TestApp;
let admin: TestUser;
let user: TestUser;
beforeAll(async () => {
  app = await startApp();
  admin = await app.createUser({ role: 'admin' });
  user = await app.createUser();
  const listings = await storeListings(app, user, [
    {
      title: 'Comfortina teak deck, sailboat',
      description: 'A sailboat with sails.',
      published_at: new Date().toISOString(),
    },
    { title: 'Comfortina', description: 'A sail boat whose deck is of teak.' },
    { title: 'Teak deck alone', description: '', tags: ['comfortina'] },
    { title: 'Comfortina teak deck, old sail boat', description: '', published_at: '2025-01-01T00:00:00Z' },
  ]);
  const promoted = listings.find(({ title }) => title === 'Comfortina')!;
  await app.database.pool.query(
    `update listings set premium_type = 'featured', premium_until = '2999-01-01' where id = $1`,
    [promoted.id],
  );
});
afterAll(() => app.close());

const path = (q: string, rest = '') => `/api/listings?sort=relevance&explain=true&q=${encodeURIComponent(q)}${rest}`;
const explain = async (q: string, rest = ''): Promise<Json> => {
  const answer = await app.as(admin).get(path(q, rest));
  expect(answer.status).toBe(200);
  expect(answer.headers.get('x-cache')).toBeNull();
  return answer.body;
};

describe('who may ask', () => {
  test('403 for everybody but administrators, with or without a credential', async () => {
    expect((await app.as(user).get(path('teak'))).status).toBe(403);
    const answer = await app.as().get(path('teak'));
    expect(answer.status).toBe(403);
    expect(answer.body.error.code).toBe('forbidden');
    expect((await app.as().get('/api/listings?q=teak&explain=false')).body).not.toHaveProperty('explanation');
  });
});

test('each result is explained in the order of the page, and the order is that of what is told', async () => {
  const { results, explanation } = await explain('comfortina teak deck');
  expect(explanation.results.map(({ id }: Json) => id)).toEqual(results.map(({ id }: Json) => id));
  expect(results.map(({ title }: Json) => title)).toEqual([
    'Comfortina',
    'Comfortina teak deck, sailboat',
    'Comfortina teak deck, old sail boat',
    'Teak deck alone',
  ]);
  const [promoted, first, second, last] = explanation.results;
  expect(promoted).toMatchObject({ promoted: true, matches: 'all' });
  expect(first).toMatchObject({ promoted: false, matches: 'all_in_title' });
  expect(last).toMatchObject({ promoted: false, matches: 'all' });
  expect(first.score).toBeGreaterThan(second.score);
  expect(first.freshness.value).toBeGreaterThan(second.freshness.value);
  expect(last.words.find(({ query }: Json) => query === "'comfortina'").found_in).toEqual(['tags']);
  expect(promoted.words.find(({ query }: Json) => query === "'teak'").found_in).toEqual(['description']);
});

test('the score is what its parts come to', async () => {
  const { explanation } = await explain('comfortina deck');
  for (const result of explanation.results) {
    const { words, title_points, neighbour_points, freshness, popularity, completeness, score } = result;
    const text = words.reduce((sum: number, { points }: Json) => sum + points, title_points + neighbour_points);
    const shares = [freshness, popularity, completeness];
    const raised = shares.reduce((sum: number, { value, share }: Json) => sum + value * share, 0);
    const left = 1 - shares.reduce((sum: number, { share }: Json) => sum + share, 0);
    expect(text * (left + raised)).toBeCloseTo(score, 1);
  }
});

test('synonyms, corrections and what the search was widened to are told', async () => {
  const { explanation } = await explain('sailboat comfortina');
  expect(explanation.query).toContain("'sail' <-> 'boat'");
  expect(explanation.words.some(({ listings }: Json) => listings === null)).toBe(true);
  expect(explanation.widened).toContain('comfortina');
  const corrected = await explain('comfortnia');
  expect(corrected.explanation.query).toContain('comfortina');
  expect(corrected.warnings).toHaveLength(1);
});

test('later pages are explained as well, by number and by cursor; other orders are not', async () => {
  const first = await explain('comfortina', '&limit=1');
  const cursor = await explain('comfortina', `&limit=1&cursor=${first.pagination.next_cursor}`);
  const number = await explain('comfortina', '&limit=1&page=2');
  expect(cursor.explanation.results).toEqual(number.explanation.results);
  expect(cursor.explanation.results).not.toEqual(first.explanation.results);
  // A cursor is good with an explanation and without.
  const plain = await app
    .as()
    .get(`/api/listings?sort=relevance&q=comfortina&limit=1&cursor=${first.pagination.next_cursor}`);
  expect(plain.status).toBe(200);
  const newest = await app.as(admin).get('/api/listings?q=comfortina&sort=newest&explain=true');
  expect(newest.body).not.toHaveProperty('explanation');
  expect(newest.body.warnings).toEqual(["Only the order 'relevance' of words in 'q' is explained."]);
});
