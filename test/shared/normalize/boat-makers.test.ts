import { describe, expect, test } from 'vitest';
import { findBoatMaker } from '../../../shared/normalize/boat-makers.ts';
import { normalizeBrand } from '../../../shared/normalize/brand.ts';
import { normalizeRecord } from '../../../shared/normalize/record.ts';
import type { RawRecord } from '../../../shared/normalize/record-type.ts';

const now = new Date('2026-11-01T00:00:00Z');

function recordOf(raw: Partial<RawRecord>) {
  const result = normalizeRecord(
    { url: 'https://ads.example/1', title: 'A sloop', breadcrumbs: ['Boats', 'Sail', 'x'], ...raw },
    { site: 'ads.example', now },
  );
  if ('reason' in result) throw new Error(result.reason);
  return result.record;
}

describe('the maker and the model in the title of a boat', () => {
  test.each([
    ['Bavaria 46 Cruiser', 'Bavaria', '46 Cruiser'],
    ['Jeanneau Sun Odyssey 36i', 'Jeanneau', 'Sun Odyssey 36i'],
    ['Sun Odyssey 36i', 'Jeanneau', 'Sun Odyssey 36i'],
    ['1998 Dufour 43', 'Dufour', '43'],
    ['Segelyacht Hallberg Rassy 312, Top Zustand', 'Hallberg-Rassy', '312'],
    ['Verkaufe Bayliner 2855 Ciera mit Trailer', 'Bayliner', '2855 Ciera'],
    ['Hunter 35 sailboat', 'Hunter', '35'],
    ['BÉNÉTEAU Oceanis 40.1 - 2021', 'Beneteau', 'Oceanis 40.1'],
    ['Neptun Segelyacht 6,60m mit Trailer', 'Neptun', undefined],
  ])('of %j', (title, brand, model) => {
    expect(findBoatMaker(title)).toEqual(model === undefined ? { brand } : { brand, model });
  });

  test.each(['Motorboot zu verkaufen', 'Boat trailer for hunter boats', 'Segelyacht, Stahl, 12 m', '', '12 34'])(
    'are not guessed in %j',
    (title) => {
      expect(findBoatMaker(title)).toBeUndefined();
    },
  );

  test('are taken where the page names none, and only for boats', () => {
    const facts = { LOA: '13.95 m', Draft: '2.1 m' };
    const bavaria = recordOf({ title: 'Bavaria 46 Cruiser', properties: facts });
    expect(bavaria.attributes).toMatchObject({ brand: 'Bavaria', model: '46 Cruiser' });
    expect(bavaria.boat).toMatchObject({ brand: 'Bavaria', model: '46 Cruiser' });
    expect(recordOf({ title: 'Bavaria 46 Cruiser', brand: 'Hanse', properties: facts }).attributes?.brand).toBe(
      'Hanse',
    );
    expect(recordOf({ title: 'Bavaria 46 Cruiser', brand: 'Bavaria', model: '46' }).attributes?.model).toBe('46');
    const shoe = recordOf({ title: 'Hunter 35 leather', breadcrumbs: ['Shoes', 'x'] });
    expect(shoe.attributes ?? {}).not.toHaveProperty('brand');
  });
});

test.each([
  ['Visit the Sony Store', 'Sony'],
  ['Marke: Sony', 'Sony'],
  ['by Sony', 'Sony'],
  ['Sony Official Store', 'Sony'],
  ['Bosch GmbH', 'Bosch'],
  ['Rigiflex power boats', 'Rigiflex'],
  ['The Body Shop', 'The Body Shop'],
  ['Sea Ray Boats', 'Sea Ray Boats'],
  ['Unbranded', undefined],
  ['N/A', undefined],
  [undefined, undefined],
])('the brand %j is %j without what shops print around it', (printed, brand) => {
  expect(normalizeBrand(printed)).toBe(brand);
});
