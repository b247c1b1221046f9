import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type Json, type TestApp, type TestUser } from '../../support/app.ts';
import { storeListings } from './search-fixture.ts';

describe.each(['nautical', 'general'] as const)('relevance in the %s profile', (profile) => {
  const [things, others] = profile === 'nautical' ? ['daysailers', 'cruising'] : ['sailboats', 'boats'];
  let app: TestApp;
  let seller: TestUser;
  beforeAll(async () => {
    app = await startApp({ profile });
    seller = await app.createUser();
  });
  afterAll(() => app.close());

  const find = async (q: string): Promise<string[]> => {
    const { body } = await app.as().get(`/api/listings?sort=relevance&q=${encodeURIComponent(q)}`);
    return body.results.map(({ title }: Json) => title);
  };

  test.each([
    ['gadget 5', ['Leather case for Gadget 5', 'Gadget 5 case', 'Case, fits Gadget 5', 'Acme Gadget 5 16GB']],
    ['silver frock', ['Silver frock watch', 'Watch with silver frock strap', 'Long silver frocks with lace']],
    ['bolso rojo', ['Correa para bolso rojo', 'Broche rojo para bolso', 'Bolso rojo']],
    ['tischlampe', ['Schirm für Tischlampe', 'Birne für die Tischlampe', 'Alte Tischlampe mit Schirm']],
  ])('%s finds the thing itself before what goes with it, however new that is', async (q, titles) => {
    await storeListings(
      app,
      seller,
      titles.map((title, index) => ({
        title,
        category_id: things,
        published_at: `2025-${index === titles.length - 1 ? 10 : 11}-01T00:00:00Z`,
      })),
    );
    expect((await find(q))[0]).toBe(titles.at(-1));
  });

  test('an accessory is found first by who asks for it', async () => {
    expect((await find('gadget 5 case'))[0]).toBe('Gadget 5 case');
    expect((await find('case for gadget 5'))[0]).toMatch(/case/i);
  });

  test('the category of the things themselves raises others in it', async () => {
    await storeListings(app, seller, [
      ...['Sprocket', 'Sturdy sprocket', 'Big sprocket'].map((title) => ({ title, category_id: things })),
      { title: 'Sprocket anthracite', category_id: things, published_at: '2025-01-01T00:00:00Z' },
      { title: 'Sprocket lubricant', category_id: others, published_at: '2025-01-02T00:00:00Z' },
    ]);
    expect((await find('sprocket')).slice(-2)).toEqual(['Sprocket anthracite', 'Sprocket lubricant']);
  });

  test.each(['a.*b', '(x', 'x{9}', '[', String.raw`\m`, 'ab|cd', 'for', 'for with', '5 16'])(
    'no word of a query is read as a pattern: %s',
    async (q) => {
      expect(await find(q)).toBeInstanceOf(Array);
    },
  );
});
