import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { storeListings } from './search-fixture.ts';

let app: TestApp;
let seller: TestUser;
beforeAll(async () => {
  app = await startApp();
  seller = await app.createUser({ name: 'Seller' });
});
afterAll(() => app.close());

type Answer = { results: { id: string }[]; pagination: { total: number }; facets: Record<string, { max: number }> };

test('who changes nothing but the year and the length of a boat finds it by its words under the new ones', async () => {
  const [boat] = await storeListings(app, seller, [
    { title: 'Wanderlust cutter', attributes: { year: 1990, length: 9.5 } },
  ]);
  const find = async (filter: string) => {
    const answer = await app
      .as(seller)
      .get(`/api/listings?q=wanderlust&${filter}&facets=attr.year,attr.length&sort=length_desc`);
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    const { results, facets } = answer.body as Answer;
    return { ids: results.map(({ id }) => id), year: facets['attr.year']?.max, length: facets['attr.length']?.max };
  };
  const before = { ids: [boat!.id], year: 1990, length: 9.5 };
  expect(await find('attr[min_year]=1985&attr[max_length]=10')).toEqual(before);

  const changed = await app.as(seller).put(`/api/listings/${boat!.id}`, { attributes: { year: 2005, length: 11.2 } });
  expect(changed.status, JSON.stringify(changed.body)).toBe(200);

  expect((await find('attr[year]=1990')).ids).toEqual([]);
  expect(await find('attr[year]=2005')).toEqual({ ids: [boat!.id], year: 2005, length: 11.2 });
  expect((await find('attr[min_length]=11')).ids).toEqual([boat!.id]);
});
