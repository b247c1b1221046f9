import { describe, expect, test } from 'vitest';
import { buildCatalog } from '../../../shared/catalog/tree.ts';
import { ServiceError } from '../../../shared/kit/errors.ts';
import { readFilters } from '../../../shared/search/filters.ts';
import { attributeTexts, toJsonPath } from '../../../shared/search/postgres/conditions.ts';
import { profileOf } from '../../../shared/profiles/read-profile.ts';

const general = profileOf('general');
const nautical = profileOf('nautical');

const boats = buildCatalog(nautical);
const everything = buildCatalog(general);

const read = (attr: Record<string, string | string[]>, category: string | undefined, catalog = boats) =>
  readFilters({ attr, category }, catalog);

describe('the name of an attribute filter', () => {
  test.each([
    [{ max_speed: '30' }, '$."max_speed".double() >= 30 && $."max_speed".double() <= 30'],
    [{ max_max_speed: '30' }, '$."max_speed".double() <= 30'],
    [{ max_speed_min: '20' }, '$."max_speed".double() >= 20'],
    [{ min_max_speed: '20', max_speed_max: '30' }, '$."max_speed".double() >= 20 && $."max_speed".double() <= 30'],
    [{ boat_type: 'cruiser' }, '$."boat_type" like_regex "cruiser" flag "iq"'],
    [{ trailer_included: 'TRUE' }, '$."trailer_included" == true'],
  ])('%j means %s', (attr, path) => {
    const { filters, warnings } = read(attr, 'sailboats');
    expect([toJsonPath(filters.attributes ?? []), warnings]).toEqual([path, []]);
  });

  test('the bounds of a number meet whichever way they are spelled, the narrower one winning', () => {
    expect(
      read({ min_year: '1990', year_min: '2000', max_year: '2010', year: '2005' }, 'sailboats').filters.year,
    ).toEqual({ min: 2_005, max: 2_005 });
  });

  test('year and length are ranges of their own in every asset type that has them', () => {
    expect(read({ min_year: '2010' }, 'cars', everything).filters).toMatchObject({
      year: { min: 2_010, max: null },
      attributes: undefined,
    });
  });

  test('attributes that cannot be filtered on, and bounds of texts, are unknown', () => {
    for (const name of ['flag', 'min_brand', 'brand_max', 'colour', 'min_', '_max', '__proto__', 'constructor']) {
      const { filters, warnings } = read({ [name]: '1' }, 'sailboats');
      expect(filters.attributes).toBeUndefined();
      expect(warnings).toEqual([`The attribute filter '${name}' is unknown in sailboats and was ignored.`]);
    }
  });

  test('the asset types below a category count where its own says nothing', () => {
    expect(read({ min_diameter: '10' }, 'engines').warnings).toEqual([]);
    expect(read({ min_mileage: '10' }, 'vehicles', everything).warnings).toEqual([]);
  });

  test('empty values filter nothing', () => {
    expect(read({ brand: ' ', min_year: '' }, undefined)).toEqual(read({}, undefined));
  });
});

describe('without a category', () => {
  test('a key means the attribute of that name in every asset type that has it', () => {
    const { filters, warnings } = read(
      { min_berths: '4', brand: 'Hanse', shaft_length: 'long', colour: 'red' },
      undefined,
    );
    expect(filters.attributes).toEqual([
      { key: 'brand', anyOf: ['Hanse'] },
      { key: 'shaft_length', anyOf: ['long'] },
      { key: 'berths', range: { min: 4, max: null } },
    ]);
    expect(warnings).toEqual(["The attribute filter 'colour' is unknown and was ignored."]);
  });

  const attribute = (type: 'string' | 'number' | 'boolean') => ({
    key: 'deck',
    label: 'Deck',
    type,
    required: false,
    filterable: true,
  });
  const catalogOf = (...types: ('string' | 'number' | 'boolean')[]) =>
    buildCatalog({
      name: 'nautical',
      categories: types.map((type) => ({ id: `in-${type}`, name: { en: type }, asset_type: `a-${type}` })),
      assetTypes: types.map((type) => ({
        id: `a-${type}`,
        label: type,
        description: '',
        categoryIds: [],
        attributes: [attribute(type)],
      })),
    });

  test.each([
    ['12', ['number', 'string'], { key: 'deck', range: { min: 12, max: 12 } }],
    ['teak', ['number', 'string'], { key: 'deck', anyOf: ['teak'] }],
    ['true', ['boolean', 'string'], { key: 'deck', is: [true] }],
    ['12', ['boolean', 'string'], { key: 'deck', anyOf: ['12'] }],
  ] as const)('where a key means different kinds of value, %s decides among %j', (value, types, part) => {
    expect(readFilters({ attr: { deck: value } }, catalogOf(...types)).filters.attributes).toEqual([part]);
  });

  test('a value that is none of the kinds is refused, and the asset types are named', () => {
    expect(() => readFilters({ attr: { deck: 'teak' } }, catalogOf('number', 'boolean'))).toThrowError(
      expect.objectContaining({
        code: 'validation_error',
        details: {
          errors: [
            { path: '/query/attr/deck', message: expect.stringMatching(/number in a-number; boolean in a-boolean/) },
          ],
        },
      }),
    );
  });
});

describe('a filter with several values', () => {
  test('is a comma list, a repeated parameter, or both', () => {
    const { filters } = readFilters({ country: ['de,at', 'CH', 'de'], condition: 'new' }, boats);
    expect(filters).toMatchObject({ country: ['DE', 'AT', 'CH'], condition: ['new'] });
    expect(read({ brand: ['Hanse, Najad', 'Bavaria'] }, 'sailboats').filters.attributes).toEqual([
      { key: 'brand', anyOf: ['Hanse', 'Najad', 'Bavaria'] },
    ]);
  });

  test('leaves unknown categories out with a warning, and finds nothing with unknown ones alone', () => {
    const some = readFilters({ category: 'cruising,nowhere' }, boats);
    expect([some.filters.category, some.filters.impossible, some.warnings]).toEqual([
      ['cruising'],
      false,
      ["There is no category 'nowhere'."],
    ]);
    expect(readFilters({ category: 'nowhere' }, boats).filters.impossible).toBe(true);
  });

  test('a number takes one value', () => {
    expect(() => read({ min_year: '1990,2000' }, 'sailboats')).toThrowError(ServiceError);
  });
});

test('a text is looked for as it stands, and its longest plain run by the index', () => {
  const { filters } = read({ brand: '  a"b\\hallberg.*  ' }, 'sailboats');
  expect(toJsonPath(filters.attributes ?? [])).toBe('$."brand" like_regex "a\\"b\\\\hallberg.*" flag "iq"');
  expect(attributeTexts(filters)).toEqual(['hallberg.*']);
  expect(attributeTexts(read({ brand: 'ab' }, 'sailboats').filters)).toBeUndefined();
});

test('prices: any bound makes a filter, which unpriced listings fail unless they are asked for', () => {
  const price = (query: object) => readFilters(query, boats).filters.price;
  expect(price({})).toBeUndefined();
  expect(price({ include_unpriced: true })).toBeUndefined();
  expect(price({ min_price: 0 })).toEqual({ min: 1e-300, max: Infinity, unpriced: false });
  expect(price({ max_price: 5, include_unpriced: true })).toEqual({ min: 1e-300, max: 5, unpriced: true });
  expect(readFilters({ min_price: 6, max_price: 5, include_unpriced: true }, boats).filters.impossible).toBe(true);
});
