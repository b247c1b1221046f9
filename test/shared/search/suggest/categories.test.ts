import { describe, expect, test } from 'vitest';
import { buildCatalog } from '../../../../shared/catalog/tree.ts';
import { profileOf } from '../../../../shared/profiles/read-profile.ts';
import {
  correctCategories,
  createCategoryIndex,
  suggestCategories,
} from '../../../../shared/search/suggest/categories.ts';

const general = profileOf('general');
const nautical = profileOf('nautical');

describe.each([nautical, general])('categories of the $name profile', (profile) => {
  const catalog = buildCatalog(profile);
  const index = createCategoryIndex(catalog);

  test.each(profile.locales)(
    'every name in %s is found by its first letters, before names that only hold them',
    (locale) => {
      const missed = catalog.flat().flatMap(({ id }) => {
        const name = catalog.localizedName(id, locale);
        const typed = [...name].slice(0, Math.max(4, Math.ceil([...name].length * 0.7))).join('');
        const found = suggestCategories(index, typed, locale);
        const first = catalog.localizedName(found[0] ?? '', locale);
        return found.includes(id) && first.toLowerCase().startsWith(typed.slice(0, 2).toLowerCase())
          ? []
          : [`${typed} (${id})`];
      });
      expect(missed).toEqual([]);
    },
  );

  test('a category is named once', () => {
    for (const q of ['boat', 'sa', 'mot', 'eng', 'yac']) {
      const found = suggestCategories(index, q, 'en');
      expect(found).toEqual([...new Set(found)]);
    }
  });

  test.each(['sailbaots', 'sailboast', 'sailbots', 'sailbo4ts', 'sajlboa'])('%s is one letter away', (q) => {
    expect(suggestCategories(index, q, 'en')).toEqual([]);
    expect(correctCategories(index, q, 'en')[0]).toBe('sailboats');
  });

  test.each(['sialbaots', 'xyz', '%%', '', 'constructor', '__'])('%j is nothing', (q) => {
    expect([...suggestCategories(index, q, 'en'), ...correctCategories(index, q, 'en')]).toEqual([]);
  });
});
