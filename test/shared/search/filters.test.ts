import { describe, expect, test } from 'vitest';
import { buildCatalog } from '../../../shared/catalog/tree.ts';
import { ServiceError } from '../../../shared/kit/errors.ts';
import { readFilters } from '../../../shared/search/filters.ts';
import { general } from '../../../shared/profiles/general.ts';
import { nautical } from '../../../shared/profiles/nautical.ts';

const boats = buildCatalog(nautical);
const everything = buildCatalog(general);

const read = (attr: Record<string, string>, category: string | undefined, catalog = boats) =>
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
    expect([filters.attributes, warnings]).toEqual([path, []]);
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
  test('the keys tell the asset type, unknown ones being warned of', () => {
    const { filters, warnings } = read({ min_berths: '4', brand: 'Hanse', colour: 'red' }, undefined);
    expect(filters.attributes).toContain('like_regex "Hanse"');
    expect(warnings).toEqual(["The attribute filter 'colour' is unknown and was ignored."]);
  });

  test.each([[{ brand: 'Hanse' }], [{ colour: 'red' }], [{ min_berths: '4', shaft_length: 'long' }]])(
    '%j asks for one',
    (attr) => {
      expect(() => read(attr, undefined)).toThrowError(ServiceError);
      expect(() => read(attr, undefined)).toThrowError(/add a category/);
    },
  );
});

test('a text is looked for as it stands, and its longest plain run by the index', () => {
  const { filters } = read({ brand: '  a"b\\hallberg.*  ' }, 'sailboats');
  expect(filters.attributes).toBe('$."brand" like_regex "a\\"b\\\\hallberg.*" flag "iq"');
  expect(filters.attributeText).toBe('hallberg.*');
  expect(read({ brand: 'ab' }, 'sailboats').filters.attributeText).toBeUndefined();
});

test('prices: any bound makes a filter, which unpriced listings fail unless they are asked for', () => {
  const price = (query: object) => readFilters(query, boats).filters.price;
  expect(price({})).toBeUndefined();
  expect(price({ include_unpriced: true })).toBeUndefined();
  expect(price({ min_price: 0 })).toEqual({ min: 1e-300, max: Infinity, unpriced: false });
  expect(price({ max_price: 5, include_unpriced: true })).toEqual({ min: 1e-300, max: 5, unpriced: true });
  expect(readFilters({ min_price: 6, max_price: 5, include_unpriced: true }, boats).filters.impossible).toBe(true);
});
