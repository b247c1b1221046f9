import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { readFileSync } from 'node:fs';
import { buildCatalog } from '../../../shared/catalog/tree.ts';
import { readConfig } from '../../../shared/kit/config.ts';
import { withBrand } from '../../../shared/profiles/brand.ts';
import { parseMarketplace, profileOf, readMarketplace } from '../../../shared/profiles/read-profile.ts';

const carsFile = fileURLToPath(new URL('../../fixtures/cars.yaml', import.meta.url));
const cars = parse(readFileSync(carsFile, 'utf8')) as Record<string, unknown>;
const readFile = (file: string) => readMarketplace(readConfig({ MARKETPLACE_FILE: file }));
const folder = mkdtempSync(join(tmpdir(), 'quayside-marketplace-'));

function write(text: string, name = 'marketplace.yaml'): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

const refusalOf = (document: unknown) =>
  readFile(write(JSON.stringify(document), 'marketplace.json')).then(
    () => 'none',
    (error: Error) => error.message.replace(/^MARKETPLACE_FILE: \S+ /, ''),
  );

test('a file in YAML is a marketplace: its texts, templates, limits and weights are in force, the rest is as in general', async () => {
  const profile = parseMarketplace(await readFile(carsFile));
  const general = profileOf('general');
  expect(profile).toMatchObject({
    name: 'cars',
    locales: ['en', 'de'],
    defaultLocale: 'de',
    currencies: ['EUR', 'CHF'],
  });
  expect(profile.quotas.listing_creation).toEqual([
    { limit: 30, windowSeconds: 86_400, keyedBy: 'user', adminsExempt: false },
  ]);
  expect(profile.quotas.image_upload).toEqual(general.quotas.image_upload);
  expect(profile.rateLimits).toEqual(general.rateLimits);
  expect(profile.searchWeights).toEqual({ ...general.searchWeights, brand: 2, freshness: 3 });
  const catalog = buildCatalog(profile);
  const template = catalog.assetTypeOf('estates')!;
  expect(template.categoryIds).toEqual(['passenger-cars', 'estates', 'city-cars', 'cabriolets', 'vans']);
  const german = catalog.localizedAssetType(template, 'de').attributes.find(({ key }) => key === 'seats');
  expect(german).toEqual({
    key: 'seats',
    label: 'Sitze',
    type: 'number',
    required: false,
    filterable: true,
    filterType: 'range',
    example: 5,
  });
  expect(catalog.localizedValue('drive', 'all', 'de')).toBe('Allrad');
  expect(catalog.mapCategory({ title: 'VW Golf Kombi' }).id).toBe('estates');
});

test('the same file as JSON is the same marketplace', async () => {
  expect(await readFile(write(JSON.stringify(cars), 'cars.json'))).toEqual(await readFile(carsFile));
});

test('a file that ships is used by its name', async () => {
  for (const profile of ['general', 'nautical'] as const)
    expect(parseMarketplace(await readMarketplace(readConfig({ MARKETPLACE_PROFILE: profile }))).name).toBe(profile);
});

const [firstCategory, ...otherCategories] = cars['categories'] as Record<string, unknown>[];
const [firstType, ...otherTypes] = cars['asset_types'] as { attributes: object[] }[];

test.each<[string, Record<string, unknown>, RegExp]>([
  ['an unknown section', { sails: 1 }, /^Unrecognized key: "sails"$/],
  ['no name', { name: undefined }, /^name: Invalid input: expected string/],
  ['a language that pages do not speak', { locales: ['en', 'nl'] }, /^locales\[1\]: Invalid option/],
  [
    'a text that lacks a language',
    { categories: [{ ...firstCategory, name: { en: 'Cars' } }, ...otherCategories] },
    /^categories\[0\]\.name\.de: is missing/,
  ],
  ['a tagline that lacks a language', { tagline: { en: 'Cars' } }, /^tagline\.de: is missing/],
  [
    'a slip of the pen in a category',
    { categories: [{ ...firstCategory, childen: [] }] },
    /^categories\[0\]: Unrecognized key: "childen"/,
  ],
  [
    'an id with capitals',
    { categories: [{ ...firstCategory, id: 'City Cars' }] },
    /^categories\[0\]\.id: must be small letters/,
  ],
  [
    'an id that occurs twice',
    { categories: [firstCategory, firstCategory, ...otherCategories] },
    /^categories\[1\]\.id: 'passenger-cars' occurs twice/,
  ],
  [
    'a template that there is not',
    { asset_types: otherTypes },
    /^categories\[0\]\.asset_type: there is no asset type 'cars'/,
  ],
  [
    'options of what is no enum',
    {
      asset_types: [
        { ...firstType, attributes: [{ key: 'year', label: 'Year', type: 'number', options: ['a'] }] },
        ...otherTypes,
      ],
    },
    /^asset_types\[0\]\.attributes\[0\]\.options: are needed by an enum/,
  ],
  [
    'a limit of nothing',
    { limits: { quotas: { listing_creation: [{ limit: 0, window_seconds: 60, keyed_by: 'user' }] } } },
    /^limits\.quotas\.listing_creation\[0\]\.limit: /,
  ],
  ['a currency out of use', { currencies: ['EUR', 'DEM'] }, /^currencies\[1\]: must be the ISO 4217 code/],
  [
    'words for a category that there is not',
    { category_words: { words: { trucks: ['lorry'] } } },
    /^category_words\.words\.trucks: there is no category/,
  ],
  ['a weight below nothing', { search: { weights: { title: -1 } } }, /^search\.weights\.title: /],
])('a file with %s is refused with the place in one line', async (_, change, message) => {
  const refusal = await refusalOf({ ...cars, ...change });
  expect(refusal).toMatch(message);
  expect(refusal).not.toContain('\n');
});

test('what is no file, no YAML, no JSON or no map is refused in one line', async () => {
  for (const file of [
    join(folder, 'absent.yaml'),
    write('a: [1,\n b'),
    write('{"a": ', 'broken.json'),
    write('- a\n- b'),
  ])
    await expect(readFile(file)).rejects.toThrow(/^MARKETPLACE_FILE: [^\n]+$/);
});

test('the brand of the file is that of pages and mails, unless the environment sets another', async () => {
  const profile = parseMarketplace(await readFile(carsFile));
  const from = (environment: Record<string, string>) => withBrand(readConfig(environment), profile);
  expect(from({}).brand).toMatchObject({ name: 'Autohof', color: '#a3261f' });
  expect(from({}).mail.from).toBe('"Autohof" <no-reply@localhost>');
  expect(from({ BRAND_NAME: 'Motors', MAIL_FROM: 'us@motors.example' })).toMatchObject({
    brand: { name: 'Motors', color: '#a3261f' },
    mail: { from: 'us@motors.example' },
  });
});
