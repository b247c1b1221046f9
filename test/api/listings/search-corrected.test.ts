import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { storeListings } from './search-fixture.ts';

describe.each(['nautical', 'general'] as const)('corrected searches in the %s profile', (profile) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp({ profile });
    const category_id = profile === 'nautical' ? 'cruising' : 'sailboats';
    const titles = ['Bavaria 46 Cruiser', 'Teak deck planks', 'Spinnaker, nearly new'];
    await storeListings(
      app,
      await app.createUser(),
      titles.map((title) => ({ title, category_id })),
    );
  });
  afterAll(() => app.close());

  const search = async (q: string, rest = '') =>
    (await app.as().get(`/api/listings?q=${encodeURIComponent(q)}${rest}`)).body;

  test.each([
    ['bavaira', 'bavaria'],
    ['Bavaira 46', 'bavaria 46'],
    ['teakdeck', 'teak deck'],
    ['cruizer bavaira', 'cruiser bavaria'],
    ['bavaira -spinnaker', 'bavaria -spinnaker'],
    ['"teak deck" plaks', '"teak deck" planks'],
  ])('%s is told to be looked for as %s, whole queries both', async (from, to) => {
    const { corrected, warnings, pagination } = await search(from);
    expect(corrected).toEqual({ from, to });
    expect(warnings).toHaveLength(1);
    expect(pagination.total).toBeGreaterThan(0);
  });

  test('the name of a maker is no typing error, whatever is like it', async () => {
    await storeListings(app, await app.createUser(), [{ title: 'Punta Cana, lamp' }]);
    const { corrected } = await search('penta');
    expect(corrected).toEqual(profile === 'nautical' ? undefined : { from: 'penta', to: 'punta' });
  });

  test.each(['newest', 'price_asc', 'relevance'])(
    'in the order %s as in any other, and on later pages',
    async (sort) => {
      for (const rest of ['', '&limit=1&page=2'])
        expect((await search('bavaira', `&sort=${sort}${rest}`)).corrected).toEqual({ from: 'bavaira', to: 'bavaria' });
    },
  );

  test('what a listing has none of beside it stays as it was typed', async () => {
    expect((await search('bavaira xyzzyx')).corrected).toEqual({ from: 'bavaira xyzzyx', to: 'bavaria xyzzyx' });
  });

  test.each(['bavaria', 'xyzzyx', '"bavaira"', '“bavaira”', '"teak dekc"', 'bavaria 47', 'teak spinnaker', ''])(
    'nothing is told of %j, where nothing was corrected',
    async (q) => {
      expect(await search(q)).not.toHaveProperty('corrected');
    },
  );

  test.each(['"bavaira"', '“bavaira”'])(
    '%s in quotation marks finds nothing, since that is what was asked for',
    async (q) => {
      expect((await search(q)).pagination.total).toBe(0);
    },
  );

  test('a Markdown catalog tells it in its front matter, beside the note', async () => {
    const { text } = await app.as().get('/api/listings.md?q=bavaira');
    expect(text).toContain('corrected:\n  from: bavaira\n  to: bavaria\n');
    expect(text).toContain("Note: No listing has 'bavaira'");
    expect((await app.as().get('/api/listings.md?q=bavaria')).text).not.toContain('corrected');
  });
});
