import { describe, expect, test } from 'vitest';
import { buildCatalog } from '../../../shared/catalog/tree.ts';
import { profileOf } from '../../../shared/profiles/read-profile.ts';
import type { CategoryNode } from '../../../shared/profiles/profile.ts';

const flatten = (nodes: readonly CategoryNode[]): CategoryNode[] =>
  nodes.flatMap((node) => [node, ...flatten(node.children ?? [])]);

const resolved = (nodes: readonly CategoryNode[], inherited?: string): [id: string, assetType: string | undefined][] =>
  nodes.flatMap((node) => {
    const own = node.asset_type ?? inherited;
    return [[node.id, own] as [string, string | undefined], ...resolved(node.children ?? [], own)];
  });

describe.each(['general', 'nautical'] as const)('the %s profile', (name) => {
  const profile = profileOf(name);
  const nodes = flatten(profile.categories);
  const ids = new Set(nodes.map(({ id }) => id));

  test('names itself and has ids that occur once', () => {
    expect(profile.name).toBe(name);
    expect(ids.size).toBe(nodes.length);
  });

  test('names every category in every locale it speaks', () => {
    const nameless = nodes.flatMap(({ id, name: names }) =>
      profile.locales.filter((locale) => !names[locale]).map((locale) => `${id} ${locale}`),
    );
    expect(nameless).toEqual([]);
  });

  test('gives siblings different names in every locale', () => {
    const levels = [profile.categories, ...nodes.map(({ children }) => children ?? [])];
    for (const locale of profile.locales)
      for (const siblings of levels) {
        const names = siblings.map((node) => node.name[locale]);
        expect(new Set(names).size).toBe(names.length);
      }
  });

  test('lists in each asset type exactly the categories that resolve to it', () => {
    expect(profile.assetTypes.length).toBeGreaterThanOrEqual(10);
    for (const assetType of buildCatalog(profile).assetTypes()) {
      const expected = resolved(profile.categories).filter(([, id]) => id === assetType.id);
      expect(assetType.categoryIds, assetType.id).toEqual(expected.map(([id]) => id));
      expect(expected.length, assetType.id).toBeGreaterThan(0);
    }
    const known = new Set(profile.assetTypes.map(({ id }) => id));
    expect(resolved(profile.categories).filter(([, id]) => id !== undefined && !known.has(id))).toEqual([]);
  });

  test('has attribute keys that occur once, options exactly for enums, and filters that fit their types', () => {
    for (const { id, attributes } of profile.assetTypes) {
      expect(new Set(attributes.map(({ key }) => key)).size, id).toBe(attributes.length);
      for (const { key, type, filterable, filterType, options, required } of attributes) {
        expect(options !== undefined, `${id}.${key}`).toBe(type === 'enum');
        expect(filterType !== undefined, `${id}.${key}`).toBe(filterable);
        if (filterType)
          expect(filterType, `${id}.${key}`).toBe(
            { number: 'range', boolean: 'boolean', string: 'select', enum: 'select' }[type],
          );
        expect(required, `${id}.${key}`).toBe(false);
      }
    }
  });

  test('has the boats template of the interface', () => {
    const boats = profile.assetTypes.find(({ id }) => id === 'boats');
    const pick = (key: string) => boats?.attributes.find((attribute) => attribute.key === key);
    expect(pick('brand')).toMatchObject({ type: 'string', filterType: 'select' });
    expect(pick('year')).toMatchObject({ type: 'number', filterType: 'range' });
    expect(pick('length')).toMatchObject({ type: 'number', filterType: 'range', unit: 'm' });
    expect(pick('boat_type')).toMatchObject({ type: 'string', filterType: 'select' });
  });

  test('has words only for categories that exist, and some for every category', () => {
    const { fallback, accessories, words, hints, generic, brands } = profile.categoryWords;
    const named = [fallback, ...accessories, ...[words, hints, generic, brands].flatMap((list) => Object.keys(list))];
    expect(named.filter((id) => !ids.has(id))).toEqual([]);
    expect([...ids].filter((id) => words[id] === undefined)).toEqual([]);
  });
});

test('the nautical tree has the ids of the interface, with cruising under sailboats', () => {
  const { categories } = profileOf('nautical');
  expect(categories.map(({ id }) => id)).toEqual([
    'sailboats',
    'motorboats',
    'yachts',
    'ribs',
    'houseboats',
    'small-boats',
    'engines',
    'trailers',
    'nautical-equipment',
  ]);
  expect(categories[0]?.children?.map(({ id }) => id)).toContain('cruising');
});

test('the general tree has about eighty categories, with boats under vehicles', () => {
  const { categories } = profileOf('general');
  expect(flatten(categories).length).toBeGreaterThanOrEqual(75);
  expect(flatten(categories).length).toBeLessThanOrEqual(95);
  expect(categories.find(({ id }) => id === 'vehicles')?.children?.map(({ id }) => id)).toContain('boats');
});

test('general counts all calls of a caller in one budget', () => {
  const rules = Object.values(profileOf('general').rateLimits);
  expect(rules.map(({ anonymous }) => anonymous)).toEqual(
    rules.map(() => ({ bucket: 'all', limit: 100, windowSeconds: 60, keyedBy: 'ip' })),
  );
  expect(rules.map(({ authenticated }) => authenticated)).toEqual(
    rules.map(() => ({ bucket: 'all', limit: 300, windowSeconds: 60, keyedBy: 'user or key' })),
  );
});

test('nautical has a budget per kind of call', () => {
  const { read, write, credentials, upload, admin } = profileOf('nautical').rateLimits;
  expect([read.anonymous, read.authenticated].map(({ limit, keyedBy }) => [limit, keyedBy])).toEqual([
    [200, 'ip'],
    [600, 'user'],
  ]);
  expect([write.anonymous, write.authenticated].map(({ limit, keyedBy }) => [limit, keyedBy])).toEqual([
    [30, 'ip'],
    [30, 'user'],
  ]);
  expect([credentials.anonymous, credentials.authenticated].map(({ limit, keyedBy }) => [limit, keyedBy])).toEqual([
    [10, 'ip'],
    [10, 'ip'],
  ]);
  expect([upload.authenticated.limit, admin.authenticated.limit]).toEqual([20, 1_000]);
  const buckets = [read, write, credentials, upload, admin].map(({ authenticated }) => authenticated.bucket);
  expect(new Set(buckets).size).toBe(5);
});

test('creation is limited per user in both profiles, per address too in nautical', () => {
  const limits = (name: 'general' | 'nautical') =>
    profileOf(name).quotas.listing_creation.map(({ limit, keyedBy, windowSeconds }) => [limit, keyedBy, windowSeconds]);
  expect(limits('general')).toEqual([[10, 'user', 86_400]]);
  expect(limits('nautical')).toEqual([
    [10, 'user', 86_400],
    [20, 'ip', 86_400],
  ]);
});
