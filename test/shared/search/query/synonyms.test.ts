import { beforeAll, describe, expect, test } from 'vitest';
import { findPublishable } from '../../../../shared/search/publish-search.ts';
import { parseQuery } from '../../../../shared/search/query/parse-query.ts';
import { isStopWord, localeWords } from '../../../../shared/search/query/stop-words.ts';
import { readTermWeights } from '../../../../shared/search/query/term-weights.ts';
import { correctFilters } from '../../../../shared/saved-searches/correct.ts';
import { cloneSearchDatabase, searchedAt, type SearchDatabase } from '../../../support/search-database.ts';

let database: SearchDatabase;

beforeAll(async () => {
  database = await cloneSearchDatabase();
  const titles = [
    ...['Sailboat of 1980', 'Old sail boat', 'Sailing boat, blue', 'Sail for a small boat'],
    ...['RIB with console', 'Rigid inflatable of 5 m', 'Dinghy, grey', 'Tender, gray'],
    ...[
      'Segelboot mit Motor',
      'Segelyacht Dehler',
      'Voilier Dufour',
      'Bateau à voile, bleu',
      'Barca a vela',
      'Veliero',
    ],
    ...['Velero con motor', 'Barco de vela azul', 'ヨットの部品', '中古帆船', '요트 팝니다', '세일보트'],
    ...['Television set', 'TV of 42 inches', 'Helm of oak', 'Winch without handle'],
  ];
  await database.store(titles.map((title) => ({ title })));
});

const sorted = async (q: string) => (await database.find(q, { sort: 'newest' })).titles.toSorted();

describe('synonyms', () => {
  const sail = ['Old sail boat', 'Sailboat of 1980', 'Sailing boat, blue'];
  test.each([
    ['sailboat', sail],
    ['Sailboats', sail],
    ['sailing boats', [...sail, 'Sail for a small boat']],
    ['RIB', ['RIB with console', 'Rigid inflatable of 5 m']],
    ['rigid inflatable', ['RIB with console', 'Rigid inflatable of 5 m']],
    ['segelyacht', ['Segelboot mit Motor', 'Segelyacht Dehler']],
    ['voilier', ['Bateau à voile, bleu', 'Voilier Dufour']],
    ['bateau a voile', ['Bateau à voile, bleu', 'Voilier Dufour']],
    ['veliero', ['Barca a vela', 'Veliero']],
    ['barco de vela', ['Barco de vela azul', 'Velero con motor']],
    ['ヨット', ['ヨットの部品', '中古帆船']],
    ['요트', ['세일보트', '요트 팝니다']],
    ['tv', ['TV of 42 inches', 'Television set']],
    ['blue sailboat', ['Sailing boat, blue']],
  ])('%s finds what is called otherwise', async (q, titles) => {
    const found = await database.find(q, { sort: 'newest' });
    expect(found.titles.toSorted()).toEqual(titles.toSorted());
    expect(found).toMatchObject({ total: titles.length, warnings: [] });
  });

  test('hold in one direction only where the other would be too wide', async () => {
    expect(await sorted('dinghy')).toEqual(['Dinghy, grey', 'Tender, gray']);
    expect(await sorted('tender')).toEqual(['Tender, gray']);
  });

  test('count less than the word that was typed, and more than nothing', async () => {
    for (const [q, first] of [
      ['television', 'Television set'],
      ['tv', 'TV of 42 inches'],
    ] as const) {
      const { titles } = await database.find(q);
      expect(titles).toHaveLength(2);
      expect(titles[0]).toBe(first);
    }
  });

  test.each(['"sailboat"', 'sailboat -engine', 'sailboat or catamaran'])(
    'are not looked for where %s is to be taken as it stands',
    async (q) => expect(await sorted(q)).toEqual(['Sailboat of 1980']),
  );

  test('are found on the next page, too', async () => {
    const first = await database.find('sailboat', { limit: 1 });
    const second = await database.find('sailboat', { limit: 2, after: first.next! });
    expect([...first.titles, ...second.titles].toSorted()).toEqual(sail.toSorted());
  });

  test('of many words fit into a cursor', async () => {
    const q =
      'sailboat motorboat rib television bike motorcycle fridge sofa barbecue tire aluminum gray color stroller ebike jetski';
    const { next } = await database.find(q, { limit: 1 });
    // As base64, behind its signature, within the bounds of the contract.
    expect((JSON.stringify(next).length + 12) * (4 / 3)).toBeLessThan(8_000);
  });

  test('are watched for by a saved search', async () => {
    const asked = { filters: { q: 'sailboat', impossible: false }, status: undefined };
    const { corrected } = await correctFilters(database.pool, asked, searchedAt);
    const { rows } = await database.pool.query(`select to_tsvector('quayside', 'A sail boat') @@ $1::tsquery as fits`, [
      corrected,
    ]);
    expect(rows).toEqual([{ fits: true }]);
    expect(
      await correctFilters(database.pool, { ...asked, filters: { q: 'helm', impossible: false } }, searchedAt),
    ).toMatchObject({ corrected: undefined });
  });
});

describe('bulk publishing', () => {
  const findAll = (q: string) =>
    findPublishable(
      database.pool,
      { filters: { q, impossible: false }, statuses: ['active'], sellerId: undefined, among: undefined },
      searchedAt,
    );

  test.each([
    ...['sailboat', 'rigid inflatable', 'dinghy', 'bateau a voile', 'blue sailboat', 'ヨット', 'tv', 'mit'],
    ...['winch with a handle', '요트를', '"sailboat"', 'sailboat -engine', 'sailboat or catamaran'],
  ])('means the same by %s as a search', async (q) => {
    const { hits } = await database.find(q, { sort: 'newest' });
    expect(hits.length).toBeGreaterThan(0);
    expect((await findAll(q)).map(({ id }) => id)).toEqual(hits.map(({ id }) => id).toSorted());
  });

  test.each(['televsion', 'helm zeppelin', 'tv of oak', '!'])('does not guess what is meant by %s', async (q) => {
    expect(await findAll(q)).toEqual([]);
  });
});

describe('stop words', () => {
  test.each([
    ['winch with a handle', 'Winch without handle'],
    ['eine helm aus oak', 'Helm of oak'],
    ['segelboot ohne motor', 'Segelboot mit Motor'],
    ['le voilier de dufour', 'Voilier Dufour'],
    ['el velero sin motor', 'Velero con motor'],
    ['una barca per la vela', 'Barca a vela'],
    ['ヨット用の部品', 'ヨットの部品'],
    ['요트를', '요트 팝니다'],
  ])('%s finds a listing without them', async (q, title) => {
    const found = await database.find(q, { sort: 'newest' });
    expect(found.titles).toContain(title);
    expect(found.warnings).toEqual([]);
  });

  test('alone are looked for like other words', async () => {
    expect(await sorted('mit')).toEqual(['Segelboot mit Motor']);
  });

  test('count in the order', async () => {
    const { words } = await parseQuery(database.pool, 'velero con motor');
    const weighed = await readTermWeights(database.pool, words);
    expect(weighed.words.map(({ query }) => query)).not.toContain(`'con'`);
    expect(weighed.extras?.map(({ query }) => query)).toContain(`'con'`);
  });
});

test('no phrase that is the same as others is made of stop words alone, and none stands twice in a group', () => {
  for (const { same, oneWay } of localeWords) {
    for (const group of [...same, ...oneWay]) {
      expect(new Set(group).size, group.join(', ')).toBe(group.length);
      for (const phrase of group) expect(phrase.split(' ').every(isStopWord), phrase).toBe(false);
    }
  }
});
