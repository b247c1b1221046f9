import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { storeListings, type StoredListing } from './search-fixture.ts';

let app: TestApp;
let listings: Record<string, StoredListing>;

beforeAll(async () => {
  app = await startApp({ profile: 'general' });
  const seller = await app.createUser();
  const rows = await storeListings(app, seller, [
    {
      title: 'Bavaria 46 Cruiser',
      description: 'Sails well, and the spinnaker is new.',
      tags: ['bluewater'],
      category_id: 'boats',
    },
    {
      title: 'Dinghy with oars',
      description: 'Fits on the deck of a Bavaria cruiser.',
      category_id: 'boats',
      published_at: '2026-05-01T00:00:00Z',
    },
    {
      title: 'Segelboot für den Urlaub',
      description: 'Schönes Boot mit großer Kajüte, gepflegt.',
      category_id: 'boats',
      language: 'de',
    },
    { title: 'Motor yacht of steel', description: 'Diesel engine; the galley is in oak.', category_id: 'boats' },
    {
      title: '요트 팝니다',
      description: '상태가 아주 좋은 요트입니다. 직접 보세요.',
      category_id: 'boats',
      language: 'ko',
    },
  ]);
  listings = Object.fromEntries(
    ['bavaria', 'dinghy', 'german', 'motor', 'korean'].map((name, index) => [name, rows[index]!]),
  );
});
afterAll(() => app.close());

async function search(query: string) {
  const { body } = await app.as().get(`/api/listings?${new URLSearchParams(query).toString()}`);
  const names = body.results.map(({ id }: { id: string }) =>
    Object.keys(listings).find((name) => listings[name]?.id === id),
  );
  return { names, total: body.pagination.total, warnings: body.warnings };
}

test('words match in every form, case and accent, in title, description and tags', async () => {
  expect((await search('q=BAVARIA')).names).toEqual(['bavaria', 'dinghy']);
  expect((await search('q=cruisers')).names).toEqual(['bavaria', 'dinghy']);
  expect((await search('q=bluewater')).names).toEqual(['bavaria']);
  expect((await search('q=schones boot')).names).toEqual(['german']);
  expect((await search('q=Schönes Boot')).names).toEqual(['german']);
  expect((await search('q=요트')).names).toEqual(['korean']);
});

test('a quoted phrase must match as it stands, and a word with a minus must not', async () => {
  expect((await search('q="steel yacht"')).names).toEqual([]);
  expect((await search('q="motor yacht"')).names).toEqual(['motor']);
  expect((await search('q=bavaria -oars')).names).toEqual(['bavaria']);
});

test('few listings with all words are followed, in relevance alone, by those with some', async () => {
  expect(await search('q=bavaria oars')).toMatchObject({ names: ['dinghy', 'bavaria'], total: 2, warnings: undefined });
  expect(await search('q=bavaria oars&sort=newest')).toMatchObject({ names: ['dinghy'], total: 1 });
  expect((await search('q=bavaria oars&limit=1&page=2')).names).toEqual(['bavaria']);
});

test.each(['relevance', 'newest'])(
  'where no listing has all words, %s tells so and has those with some',
  async (sort) => {
    const { names, total, warnings } = await search(`q=oak oars&sort=${sort}`);
    expect([names.toSorted(), total]).toEqual([['dinghy', 'motor'], 2]);
    expect(warnings).toEqual(['No listing has all of these words; those found have some of them.']);
  },
);

test('a match in the title ranks above a newer one in the description', async () => {
  expect((await search('q=bavaria&sort=relevance')).names).toEqual(['bavaria', 'dinghy']);
  expect((await search('q=bavaria&sort=newest')).names).toEqual(['dinghy', 'bavaria']);
});

test('relevance is the default of the general profile', async () => {
  expect(await search('q=bavaria')).toEqual(await search('q=bavaria&sort=relevance'));
});

describe('one wrong letter', () => {
  test.each([
    ['bavarla', 'replaced'],
    ['bavara', 'left out'],
    ['bavarria', 'doubled'],
    ['bavraia', 'swapped with its neighbour'],
    ['vavaria', 'at the beginning'],
    ['bavarix', 'at the end'],
    ['BAVARLA', 'in capitals'],
  ])('%s (%s) still finds the word', async (typed) => {
    const { names, total, warnings } = await search(`q=${typed}`);
    expect([names, total]).toEqual([['bavaria', 'dinghy'], 2]);
    expect(warnings).toEqual([`No listing has '${typed}' (looked for: bavaria).`]);
  });

  test('is put right in each of several words, and beside right ones', async () => {
    expect((await search('q=bavarla crusier')).names).toEqual(['bavaria', 'dinghy']);
    expect(await search('q=cruiser oasr')).toMatchObject({
      names: ['bavaria', 'dinghy'],
      warnings: [`No listing has 'oasr'.`],
    });
    expect((await search('q=cruizer -oars')).names).toEqual(['bavaria']);
    expect((await search('q=kajutte')).names).toEqual(['german']);
  });

  test('is not guessed in words of fewer than five letters, nor where two letters are wrong', async () => {
    expect((await search('q=oers')).names).toEqual([]);
    expect((await search('q=bivarla')).names).toEqual([]);
  });

  test('does not hide a word that exists: filters may just exclude it', async () => {
    expect(await search('q=bavaria&min_price=999999')).toEqual({ names: [], total: 0, warnings: undefined });
  });

  test('holds on every page', async () => {
    expect((await search('q=bavarla&limit=1&page=2')).names).toEqual(['dinghy']);
    expect(await search('q=bavarla&limit=1&page=3')).toMatchObject({ names: [], total: 2 });
  });
});

test('a listing in its own language answers in the locale asked for when it was rewritten', async () => {
  const nautical = await startApp();
  const seller = await nautical.createUser();
  const [stored] = await storeListings(nautical, seller, [{ title: 'Sloop with new sails' }]);
  await nautical.database.pool.query(
    `insert into listing_rewrites (listing_id, locale, status, title, description, updated_at) values
       ($1, 'de', 'completed', 'Slup mit neuen Segeln', 'Ein schönes Boot mit neuen Segeln.', now()),
       ($1, 'fr', 'completed', null, 'Un beau bateau avec des voiles neuves.', now()),
       ($1, 'es', 'pending', null, 'Un barco bonito con velas nuevas.', now())`,
    [stored!.id],
  );
  const read = async (lang: string) => {
    const { body, headers } = await nautical.as().get(`/api/listings?lang=${lang}`);
    const { title, description, category } = body.results[0];
    return [headers.get('content-language'), title, description, category.path];
  };
  const plain = 'A plain thing with nothing to say about itself.';
  expect(await read('de')).toEqual([
    'de',
    'Slup mit neuen Segeln',
    'Ein schönes Boot mit neuen Segeln.',
    ['Segelboote', expect.any(String)],
  ]);
  expect(await read('fr')).toEqual([
    'fr',
    'Sloop with new sails',
    'Un beau bateau avec des voiles neuves.',
    ['Voiliers', expect.any(String)],
  ]);
  expect(await read('es')).toEqual(['es', 'Sloop with new sails', plain, ['Veleros', expect.any(String)]]);
  expect(await read('xx')).toEqual(['en', 'Sloop with new sails', plain, ['Sailboats', expect.any(String)]]);
  await nautical.close();
});
