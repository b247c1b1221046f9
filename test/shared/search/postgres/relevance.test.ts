import { beforeAll, describe, expect, test } from 'vitest';
import { readDocumentFrequencies } from '../../../../shared/search/query/document-frequencies.ts';
import { relaxations } from '../../../../shared/search/query/search-with-relaxation.ts';
import { cloneSearchDatabase, type SearchDatabase } from '../../../support/search-database.ts';

let database: SearchDatabase;

beforeAll(async () => {
  database = await cloneSearchDatabase();
  const listings = await database.store([
    { title: 'Teak deck for a Vindo yawl' },
    {
      title: 'Vindo of 1975',
      description: 'A yawl whose deck is of teak.',
      published_at: '2025-01-01T00:00:00Z',
    },
    { title: 'Vindo and yawl, no more', published_at: '2025-12-31T00:00:00Z' },
    { title: 'Yawl, Vindo by name, deck worn', published_at: '2025-12-31T00:00:00Z' },
    { title: 'Shackle of steel, old', published_at: '2024-01-01T00:00:00Z' },
    { title: 'Shackle of steel, new', published_at: '2025-12-01T00:00:00Z' },
    { title: 'Capstan of brass, unread' },
    { title: 'Capstan of brass, read' },
    { title: 'Rudder for a tender, red' },
    { title: 'Red tender, with a rudder' },
    { title: 'Refrigerator of a caravan' },
    { title: 'Hallberg-Rassy Monsun' },
    { title: 'Hallberg Rassy Rasmus' },
    { title: 'ヤマハ製の中古ヨット売ります', language: 'ja' },
    { title: '멋진 요트입니다', language: 'ko' },
    { title: '船を売ります', language: 'ja' },
  ]);
  const read = listings.find(({ title }) => title === 'Capstan of brass, read')!;
  await database.pool.query('insert into listing_views (listing_id, views) values ($1, 5000)', [read.id]);
});

describe('the order', () => {
  test('puts all words in the title first, then all words anywhere, then some of them, however new they are', async () => {
    expect((await database.find('vindo yawl teak deck')).titles).toEqual([
      'Teak deck for a Vindo yawl',
      'Vindo of 1975',
      'Yawl, Vindo by name, deck worn',
      'Vindo and yawl, no more',
    ]);
  });

  test('prefers the title in which the words are neighbours in the order asked for', async () => {
    expect((await database.find('red tender')).titles).toEqual([
      'Red tender, with a rudder',
      'Rudder for a tender, red',
    ]);
  });

  test('among texts as good as each other, puts the newer and the more read one first', async () => {
    expect((await database.find('shackle steel')).titles).toEqual(['Shackle of steel, new', 'Shackle of steel, old']);
    expect((await database.find('brass capstan')).titles).toEqual([
      'Capstan of brass, read',
      'Capstan of brass, unread',
    ]);
  });

  test('counts a promoted listing with some of the words behind those that have all', async () => {
    const [promoted] = await database.store([
      { title: 'Teak trim', premium_type: 'featured', premium_until: '2099-01-01T00:00:00Z' },
    ]);
    try {
      expect((await database.find('teak deck')).titles.slice(0, 3)).toEqual([
        'Teak deck for a Vindo yawl',
        'Vindo of 1975',
        'Teak trim',
      ]);
    } finally {
      await database.pool.query('delete from listings where id = $1', [promoted!.id]);
    }
  });
});

describe('words that no listing has', () => {
  test.each([
    ['refrigirater', `No listing has 'refrigirater' (looked for: refrigerator).`],
    ['brasscapstan', `No listing has 'brasscapstan' (looked for: brass capstan).`],
  ])('%s is taken for what it is like', async (q, warning) => {
    const { titles, warnings } = await database.find(q);
    expect(titles.length).toBeGreaterThan(0);
    expect(warnings).toEqual([warning]);
  });

  test('and are like none are left out of the rest, unless all of them are asked for', async () => {
    expect(await database.find('capstan zeppelin')).toMatchObject({
      total: 2,
      warnings: [`No listing has 'zeppelin'.`],
    });
    expect(await database.find('capstan zeppelin', { strict: true })).toMatchObject({ total: 0 });
    expect(await database.find('teak shackle', { strict: true })).toMatchObject({ total: 0, warnings: [] });
    expect(await database.find('zeppelin')).toMatchObject({ titles: [], total: 0, warnings: [] });
  });

  test('are known from the moment a listing has them', async () => {
    expect((await database.find('zanzibar')).total).toBe(0);
    const [made] = await database.store([{ title: 'Zanzibar and back' }]);
    expect(await database.find('zanzibar')).toMatchObject({ total: 1, warnings: [] });
    await database.pool.query('delete from listings where id = $1', [made!.id]);
  });
});

test.each([
  ['hallberg rassy', ['Hallberg Rassy Rasmus', 'Hallberg-Rassy Monsun']],
  ['Hallberg-Rassy', ['Hallberg Rassy Rasmus', 'Hallberg-Rassy Monsun']],
  ['ヨット', ['ヤマハ製の中古ヨット売ります']],
  ['中古 ヤマハ', ['ヤマハ製の中古ヨット売ります']],
  ['ﾖｯﾄ', ['ヤマハ製の中古ヨット売ります']],
  ['船', ['船を売ります']],
  ['"ヨット売"', ['ヤマハ製の中古ヨット売ります']],
  ['요트', ['멋진 요트입니다']],
  ['멋진 요트', ['멋진 요트입니다']],
])('%s finds what is written with a hyphen or without, without spaces or with endings', async (q, titles) => {
  const found = await database.find(q);
  expect([found.titles.toSorted(), found.warnings]).toEqual([titles, []]);
});

test('a stage matches what lacks so many words at most, whichever they are', async () => {
  const letters = ['v', 'w', 'x', 'y', 'z'];
  const subsets = Array.from({ length: 2 ** 5 - 1 }, (_, bits) => letters.filter((__, at) => (bits + 1) & (1 << at)));
  const [butOne, butTwo, alone] = relaxations(letters.map((query, index) => ({ query, uses: index })));
  const { rows } = await database.pool.query<{ has: string[]; one: boolean; two: boolean; alone: boolean }>(
    `select has, vector @@ $2::tsquery as one, vector @@ $3::tsquery as two, vector @@ $4::tsquery as alone
     from (select string_to_array(words, ' ') as has, to_tsvector('simple', words) as vector from unnest($1::text[]) as words) as t`,
    [subsets.map((subset) => subset.join(' ')), butOne, butTwo, alone],
  );
  expect(rows).toHaveLength(31);
  for (const { has, one, two, alone: any } of rows)
    expect([has, one, two, any]).toEqual([
      has,
      has.length >= 4,
      has.length >= 3,
      has.length >= 3 || has.some((each) => each === 'v' || each === 'w'),
    ]);
});

test('one word has no stage, two have each word alone, and a fourth very common one is not asked for', () => {
  expect(relaxations([{ query: 'a', uses: 1 }])).toEqual([]);
  expect(relaxations(['a', 'b', 'c', 'd'].map((query, index) => ({ query, uses: 50_000 + index })))).toEqual(
    relaxations(['a', 'b', 'c'].map((query) => ({ query, uses: 1 }))),
  );
  expect(relaxations(['a', 'b'].map((query) => ({ query, uses: 1 })))).toEqual(['(a) | (b)']);
});

test('uses are counted exactly where there are few, and promised to nobody while there are none', async () => {
  expect(await readDocumentFrequencies(database.pool, [`'shackl'`, `'nonesuch'`, `'brass' & 'capstan'`])).toMatchObject(
    {
      counts: [2, 0, 2],
    },
  );
});
