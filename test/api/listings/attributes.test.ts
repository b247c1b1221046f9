import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildCatalog } from '../../../shared/catalog/tree.ts';
import { profileOf } from '../../../shared/profiles/read-profile.ts';
import { checkAttributes, type Attributes } from '../../../shared/listings/attributes.ts';
import { readBoatRecords } from '../../bench/boat-rows.ts';
import { startApp, type Client, type TestApp } from '../../support/app.ts';
import { listingBody } from '../../support/listing-bodies.ts';
import { storeListings } from './search-fixture.ts';
import { times } from '../../support/lane.ts';

const records = readBoatRecords();
const attributesOf = (record: Record<string, unknown>) => record['attributes'] as Attributes;

/** A category whose template it inherits, and two of different templates that share a key. */
const categories = {
  nautical: { boat: 'cruising', root: 'sailboats', elsewhere: 'propellers', shared: 'brand' },
  general: { boat: 'sailboats', root: 'boats', elsewhere: 'dogs', shared: 'year' },
} as const;

describe.each(['nautical', 'general'] as const)('%s', (profile) => {
  const { boat, root, elsewhere, shared } = categories[profile];
  let app: TestApp;
  let seller: Client;
  beforeAll(async () => {
    app = await startApp({ profile });
    seller = app.as(await app.createUser());
  });
  afterAll(() => app.close());

  const create = (attributes: unknown, category_id: string = boat) =>
    seller.post('/api/listings', listingBody({ category_id, attributes: attributes as never }));

  test('a category below another has its template', async () => {
    const { body } = await create({
      year: '2006',
      length: ' 11.99 ',
      trailer_included: 'TRUE',
      hull_type: 'Monohull',
      flag: 7,
    });
    expect(body.attributes).toEqual({
      year: 2_006,
      length: 11.99,
      trailer_included: true,
      hull_type: 'monohull',
      flag: '7',
    });
  });

  test('keys that the template does not know are kept as they are, of any script and of any use', async () => {
    const unknown = {
      'Länge über alles (m)': '12,40',
      船籍: '横浜',
      min_speed: 3,
      sails: ['main', 'genoa'],
      is_new: false,
      'a.b/c~d': 0,
      valueOf: 'x',
      'quote"\\': "'",
    };
    const { status, body } = await create(unknown);
    expect([status, body.attributes]).toEqual([201, unknown]);
    expect((await seller.get(`/api/listings/${body.id}`)).body.attributes).toEqual(unknown);
  });

  test('nothing and empty texts are left out', async () => {
    const { body } = await create({ brand: '', model: null, year: ' ', beam: 3.5 });
    expect(body.attributes).toEqual({ beam: 3.5 });
  });

  test.each<[string, unknown]>([
    ['year', 'new'],
    ['year', true],
    ['length', '11,99'],
    ['length', ['11']],
    ['trailer_included', 'yes'],
    ['trailer_included', 1],
    ['hull_type', 'hydrofoil'],
    ['brand', ['Hanse']],
    ['brand', { name: 'Hanse' }],
    ['brand', 'x'.repeat(1_001)],
    ['custom', [1, 2]],
    ['custom', { deep: { deeper: 1 } }],
    ['custom', 1e16],
    ['custom', Array.from({ length: 101 }, () => 'x')],
  ])('400 with the path for %s = %j', async (key, value) => {
    const { status, body } = await create({ model: 'known', [key]: value });
    expect([status, body.error?.code]).toEqual([400, 'validation_error']);
    expect(body.error.details.errors[0].path).toMatch(new RegExp(`^/body/attributes/${key}(?:/0)?$`));
  });

  test('400 names every wrong attribute, also of an update', async () => {
    const { body: created } = await create({ year: 2_006 });
    for (const answer of [
      await create({ year: 'new', length: 'long', hull_type: 'x' }),
      await seller.put(`/api/listings/${created.id}`, { attributes: { year: 'new', length: 'long', hull_type: 'x' } }),
    ]) {
      expect(answer.body.error.details.errors.map(({ path }: { path: string }) => path)).toEqual(
        ['year', 'length', 'hull_type'].map((key) => `/body/attributes/${key}`),
      );
    }
  });

  test('400 for more than a hundred keys, for a key of 65 characters, and for control characters in one', async () => {
    for (const attributes of [
      Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`key_${index}`, index])),
      { ['k'.repeat(65)]: 1 },
      { 'a\nb': 1 },
      { '': 1 },
    ])
      expect((await create(attributes)).status).toBe(400);
  });

  test('another template asks other things of the same keys', async () => {
    const { status, body } = await create({ hull_type: 'hydrofoil', trailer_included: 'yes' }, elsewhere);
    expect([status, body.attributes]).toEqual([201, { hull_type: 'hydrofoil', trailer_included: 'yes' }]);
  });

  test('without a category, a key is meant in every template that has it, and unknown ones are warned of', async () => {
    for (const query of [`attr[${shared}]=2000`, 'attr[boat_type]=cruiser']) {
      const { status, body } = await app.as().get(`/api/listings?${query}`);
      expect([status, body.warnings]).toEqual([200, undefined]);
    }
    const { body } = await app.as().get('/api/listings?attr[no_such_key]=1');
    expect(body.warnings).toEqual(["The attribute filter 'no_such_key' is unknown and was ignored."]);
  });

  test('with a category, unknown keys are only warned of', async () => {
    const { status, body } = await app
      .as()
      .get(`/api/listings?category=${root}&attr[colour]=red&${encodeURIComponent('attr[Länge (m)]')}=12`);
    expect(status).toBe(200);
    expect(body.warnings).toEqual(
      ['colour', 'Länge (m)'].map((key) => `The attribute filter '${key}' is unknown in ${root} and was ignored.`),
    );
  });

  describe('parts of a text', () => {
    const brands = ['ÄGIR Łódź Ølsen ЯХТА', 'a\\b"c.*(d', 'line\nbreak ^start', "100% $1 {x} [y] 'z'"];
    beforeAll(async () => {
      await storeListings(
        app,
        await app.createUser(),
        brands.map((brand) => ({ category_id: boat, attributes: { brand } })),
      );
    });

    test('are found in any letter case, whatever characters they have', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom(...brands),
          fc.nat(30),
          fc.integer({ min: 1, max: 12 }),
          fc.boolean(),
          async (brand, start, length, isUpper) => {
            const text = brand
              .slice(start % brand.length)
              .slice(0, length)
              .trim();
            fc.pre(text !== '');
            const part = isUpper ? text.toUpperCase() : text.toLowerCase();
            const { body } = await app
              .as()
              .get(`/api/listings?category=${root}&limit=100&attr[brand]=${encodeURIComponent(part)}`);
            const found: string[] = body.results.map(
              ({ attributes }: { attributes: Attributes }) => attributes['brand'],
            );
            expect(found).toContain(brand);
            for (const each of found) expect(each.toLowerCase()).toContain(part.toLowerCase());
          },
        ),
        { numRuns: times(30, 400) },
      );
    });
  });

  describe.runIf(records)('real boats', () => {
    const rows = (records ?? []).filter((_, index) => index % 40 === 0);
    const has = (key: string, holds: (value: never) => boolean) => (attributes: Attributes) =>
      attributes[key] !== undefined && holds(attributes[key] as never);
    const all =
      (...tests: ((attributes: Attributes) => boolean)[]) =>
      (attributes: Attributes) =>
        tests.every((each) => each(attributes));

    beforeAll(async () => {
      await app.database.pool.query('delete from listings');
      await storeListings(
        app,
        await app.createUser(),
        rows.map((record) => ({ category_id: boat, attributes: attributesOf(record) })),
      );
    });

    test('all of them fit the template', () => {
      const boats = buildCatalog(profileOf(profile)).assetType('boats');
      const refused = (records ?? []).filter(
        (record) => checkAttributes(attributesOf(record), boats).errors.length > 0,
      );
      expect((records ?? []).length).toBeGreaterThan(10_000);
      expect(refused).toEqual([]);
    });

    test.each<[string, (attributes: Attributes) => boolean]>([
      ['attr[brand]=SEA', has('brand', (brand: string) => brand.toLowerCase().includes('sea'))],
      ['attr[fuel_type]=petr', has('fuel_type', (fuel: string) => fuel.includes('petr'))],
      ['attr[year]=2015', has('year', (year) => year === 2_015)],
      ['attr[min_year]=2010&attr[max_year]=2015', has('year', (year: number) => year >= 2_010 && year <= 2_015)],
      ['attr[year_min]=2010&attr[year_max]=2015', has('year', (year: number) => year >= 2_010 && year <= 2_015)],
      ['attr[min_year]=2010&attr[year_max]=2015', has('year', (year: number) => year >= 2_010 && year <= 2_015)],
      ['attr[length_min]=7.5', has('length', (length: number) => length >= 7.5)],
      ['attr[max_beam]=2.5', has('beam', (beam: number) => beam <= 2.5)],
      ['attr[engine_power]=150', has('engine_power', (power) => power === 150)],
      [
        'attr[min_engine_power]=100&attr[engine_power_max]=200&attr[fuel_type]=diesel',
        all(
          has('engine_power', (power: number) => power >= 100 && power <= 200),
          has('fuel_type', (fuel) => fuel === 'diesel'),
        ),
      ],
      [
        'attr[material]=FIBER&attr[max_length]=6&attr[min_year]=2018',
        all(
          has('material', (material: string) => material.includes('fiber')),
          has('length', (length: number) => length <= 6),
          has('year', (year: number) => year >= 2_018),
        ),
      ],
    ])('%s finds what it says, by either spelling', async (query, holds) => {
      const expected = rows.filter((record) => holds(attributesOf(record))).length;
      const { body } = await app.as().get(`/api/listings?category=${root}&${query}&limit=100`);
      expect([body.pagination.total, body.warnings]).toEqual([expected, undefined]);
      for (const { attributes } of body.results) expect(holds(attributes)).toBe(true);
      expect(expected).toBeGreaterThan(0);
    });
  });
});
