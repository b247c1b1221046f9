import { describe, expect, test } from 'vitest';
import { countFindings, noFindings, type Findings } from '../../../shared/scrapers/findings.ts';
import { oddFields, oddLayout, oddVolume } from '../../../shared/scrapers/oddities.ts';
import { describeOddity } from '../../../shared/scrapers/oddity.ts';

const whole = (records: number, shares: Partial<Findings> = {}): Findings => ({
  ...{ ...noFindings, records, read: records, title: records, price: records, description: records },
  ...{ images: records, place: records, facts: records, price_level: records * 10_700 },
  ...shares,
});
const runs = (...volumes: number[]) => volumes.map((volume) => whole(volume));

describe('the volume of a run', () => {
  test.each([
    ['half as many as ever', [100, 104, 98], 45, true],
    ['a quarter less', [100, 104, 98], 75, false],
    ['nothing at all, even of a small site', [2, 1, 2], 0, true],
    ['one boat less of a small site', [3, 3, 2], 1, false],
    ['as few as once before', [100, 12, 104], 12, false],
    ['ten times as many', [100, 104, 98], 1_000, true],
    ['twice as many', [100, 104, 98], 200, false],
    ['a small site that grows', [1, 2, 2], 11, false],
    ['too few runs to tell', [100, 104], 0, false],
  ])('%s', (_, earlier, now, odd) => {
    expect(oddVolume(runs(...earlier), whole(now)).length > 0).toBe(odd);
  });

  test('says what is odd', () => {
    expect(oddVolume(runs(120, 118, 122), whole(3)).map(describeOddity)).toEqual([
      'It found 3 records, where earlier runs found about 120.',
    ]);
  });
});

describe('the fields of a run', () => {
  const history = runs(60, 62, 61);

  test('no field that is lost goes unseen, and a reason names it', () => {
    expect(oddFields(history, whole(50, { price: 4 })).map(describeOddity)).toEqual([
      '8 % of its records have a price, where 100 % did before.',
    ]);
    for (const field of ['title', 'description', 'images', 'place', 'facts'] as const) {
      expect(oddFields(history, whole(50, { [field]: 20 }))).toHaveLength(1);
    }
  });

  test('what was rare before may be missing, and chance is no reason', () => {
    const rarely = history.map((each) => ({ ...each, images: 5 }));
    expect(oddFields(rarely, whole(50, { images: 0 }))).toEqual([]);
    const often = history.map((each) => ({ ...each, price: 45 }));
    expect(oddFields(often, whole(10, { price: 5 }))).toEqual([]);
    expect(oddFields(history, whole(4, { price: 0, price_level: 0 }))).toEqual([]);
  });

  test('prices that are a hundred times too high', () => {
    expect(
      oddFields(history, whole(50, { price_level: 50 * (10_700 + Math.round(1_000 * Math.log(100))) })).map(
        describeOddity,
      ),
    ).toEqual(['Its prices are 100 times higher than before.']);
  });
});

test('a title counts once in a crawl: a page that answers every address with the same has none of its own', () => {
  const titles = new Set<string>();
  const wall = Array.from({ length: 30 }, (_, i) => ({ url: `https://a.example/${i}`, title: 'Please wait' }));
  expect(countFindings(wall.slice(0, 10), 0, titles)).toMatchObject({ records: 10, read: 10, title: 1, price: 0 });
  expect(countFindings(wall.slice(10), 5, titles)).toMatchObject({ records: 25, read: 20, title: 0 });
});

test('a field counts when it says something', () => {
  const record = {
    url: 'https://a.example/1',
    title: 'Bavaria 37',
    price: { amount: 0, currency: 'EUR' },
    description: 'n/a',
    images: [],
    location: { country: 'DE' },
    attributes: {},
  };
  expect(countFindings([record], 0, new Set())).toEqual({ ...noFindings, records: 1, read: 1, title: 1 });
});

describe('the layout of a site', () => {
  const pages = (records: number, all: number): Findings => whole(records, { pages: all });

  test('a field that was on a third of the records, and is on half as many, is told', () => {
    const history = runs(300, 310, 305).map((each) => ({ ...each, place: Math.round(each.records / 3) }));
    expect(oddFields(history, whole(300, { place: 30 })).map(describeOddity)).toEqual([
      '10 % of its records have a place, where 33 % did before.',
    ]);
    expect(oddFields(history, whole(300, { place: 70 }))).toEqual([]);
  });

  test('a crawl that finds nothing where the only earlier one found something is told at once', () => {
    expect(oddLayout([pages(40, 44)], pages(0, 3)).map(describeOddity)).toEqual([
      'It found no record on 3 pages, where an earlier run found 40.',
    ]);
    expect(oddLayout([], pages(0, 3))).toEqual([]);
    expect(oddLayout([pages(2, 4)], pages(0, 3))).toEqual([]);
  });

  test('pages that hold records half as often as ever are told', () => {
    const history = [pages(90, 100), pages(92, 100), pages(88, 100)];
    expect(oddLayout(history, pages(40, 100)).map(describeOddity)).toEqual([
      '40 % of its pages hold a record, where 90 % did before.',
    ]);
    expect(oddLayout(history, pages(70, 100))).toEqual([]);
    expect(oddLayout(history, pages(2, 6))).toEqual([]);
  });
});
