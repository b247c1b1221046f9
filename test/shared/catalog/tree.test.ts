import { describe, expect, test } from 'vitest';
import { buildCatalog } from '../../../shared/catalog/tree.ts';
import type { AssetTypeDefinition } from '../../../shared/profiles/profile.ts';

const assetType = (id: string, keys: string[], unfilterable: string[] = []): AssetTypeDefinition => ({
  id,
  label: id,
  description: id,
  categoryIds: [],
  attributes: [...keys, ...unfilterable].map((key) => ({
    key,
    label: key,
    type: 'string',
    required: false,
    filterable: !unfilterable.includes(key),
  })),
});

const catalog = buildCatalog({
  name: 'nautical',
  categories: [
    {
      id: 'sailboats',
      name: { en: 'Sailboats', fr: 'Voiliers' },
      asset_type: 'boats',
      children: [
        { id: 'cruising', name: { en: 'Cruising' }, children: [{ id: 'ketches', name: { en: 'Ketches' } }] },
        { id: 'sails', name: { en: 'Sails' }, asset_type: 'sails' },
      ],
    },
    { id: 'books', name: { en: 'Books' } },
  ],
  assetTypes: [assetType('boats', ['brand', 'year'], ['flag']), assetType('sails', ['brand', 'luff'])],
});

describe('categories', () => {
  test('are found by id and hold their place in the tree', () => {
    expect(catalog.find('cruising')).toMatchObject({
      id: 'cruising',
      slug: 'cruising',
      name: 'Cruising',
      parentId: 'sailboats',
      path: ['sailboats', 'cruising'],
      childIds: ['ketches'],
    });
    expect(catalog.find('sailboats')?.parentId).toBeNull();
    expect(catalog.find('constructor')).toBeUndefined();
  });

  test('know themselves and everything below them', () => {
    expect(catalog.descendantIds('sailboats')).toEqual(['sailboats', 'cruising', 'ketches', 'sails']);
    expect(catalog.descendantIds('ketches')).toEqual(['ketches']);
    expect(catalog.descendantIds('no-such')).toEqual([]);
  });

  test('have a path from the root', () => {
    expect(catalog.path('ketches')).toEqual(['sailboats', 'cruising', 'ketches']);
    expect(catalog.path('no-such')).toEqual([]);
  });

  test('are listed depth first in display order', () => {
    expect(catalog.validIds()).toEqual(['sailboats', 'cruising', 'ketches', 'sails', 'books']);
    expect(catalog.flat().map(({ position }) => position)).toEqual([0, 1, 2, 3, 4]);
  });

  test('have a name in the locale, else in English, else their id', () => {
    expect(catalog.localizedName('sailboats', 'fr')).toBe('Voiliers');
    expect(catalog.localizedName('sailboats', 'ja')).toBe('Sailboats');
    expect(catalog.localizedName('no-such', 'fr')).toBe('no-such');
  });

  test('that occur twice are refused', () => {
    const twice = [
      { id: 'sails', name: { en: 'Sails' } },
      { id: 'sails', name: { en: 'Sails' } },
    ];
    expect(() => buildCatalog({ name: 'general', categories: twice, assetTypes: [] })).toThrow(/sails occurs twice/);
  });
});

describe('asset types', () => {
  test('come from the nearest ancestor that names one', () => {
    expect(catalog.assetTypeOf('ketches')?.id).toBe('boats');
    expect(catalog.assetTypeOf('sails')?.id).toBe('sails');
    expect(catalog.assetTypeOf('books')).toBeUndefined();
    expect(catalog.assetTypeOf('no-such')).toBeUndefined();
  });

  test.each([
    [['year'], 'boats'],
    [['brand', 'luff'], 'sails'],
    [['brand'], 'ambiguous'],
    [['flag'], 'none'],
    [['year', 'no-such'], 'none'],
    [[], 'none'],
  ])('filters %j mean %s', (keys, meaning) => {
    const inferred = catalog.inferAssetType(keys);
    expect(inferred.kind === 'one' ? inferred.assetType.id : inferred.kind).toBe(meaning);
  });
});
