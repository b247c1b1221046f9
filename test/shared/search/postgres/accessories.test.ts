import { beforeAll, describe, expect, test } from 'vitest';
import { findQueryHead } from '../../../../shared/search/query/title-heads.ts';
import { cloneSearchDatabase, type SearchDatabase } from '../../../support/search-database.ts';

let database: SearchDatabase;
beforeAll(async () => {
  database = await cloneSearchDatabase();
});

describe('the thing itself comes before what goes with it', () => {
  test.each([
    ['gadget 5', ['Leather case for Gadget 5', 'Gadget 5 case', 'Case, fits Gadget 5', 'Acme Gadget 5 16GB']],
    ['silver frock', ['Silver frock watch', 'Watch with silver frock strap', 'Long silver frocks with lace']],
    ['bolso rojo', ['Correa para bolso rojo', 'Broche rojo para bolso', 'Bolso rojo']],
    ['tischlampe', ['Schirm für Tischlampe', 'Birne für die Tischlampe', 'Alte Tischlampe mit Schirm']],
  ])('for %s, however new the others are', async (q, titles) => {
    await database.store(
      titles.map((title, index) => ({
        title,
        published_at: `2025-1${index === titles.length - 1 ? 0 : 1}-01T00:00:00Z`,
      })),
    );
    expect((await database.find(q)).titles[0]).toBe(titles.at(-1));
  });

  test('and an accessory is found first by who asks for it', async () => {
    expect((await database.find('gadget 5 case')).titles[0]).toBe('Gadget 5 case');
    expect((await database.find('case for gadget 5')).titles[0]).toMatch(/case/i);
  });

  test('the category of the things themselves raises others in it', async () => {
    await database.store([
      ...['Sprocket', 'Sturdy sprocket', 'Big sprocket'].map((title) => ({ title, category_id: 'racing' })),
      { title: 'Sprocket anthracite', category_id: 'racing', published_at: '2025-01-01T00:00:00Z' },
      { title: 'Sprocket lubricant', category_id: 'cruising', published_at: '2025-01-02T00:00:00Z' },
    ]);
    const { titles } = await database.find('sprocket');
    expect(titles.slice(-2)).toEqual(['Sprocket anthracite', 'Sprocket lubricant']);
  });
});

test.each([
  ['gold dress', 'dress'],
  ['cases for phone 5', 'cases'],
  ['phone 5', 'phone'],
  ['für tischlampe', 'tischlampe'],
  ['5 16', undefined],
  ['', undefined],
])('the head of "%s" is its last word before a preposition, numbers aside: %s', (q, head) => {
  const words = q.split(' ').map((typed) => ({ typed, query: '' }));
  const { last } = findQueryHead(words) ?? {};
  expect(last === undefined ? undefined : new RegExp(`^(?:${last})$`).test(head ?? '')).toBe(head && true);
});

test('no word of a query is read as a pattern', async () => {
  for (const q of ['a.*b', '(x', 'x{9}', '[', '\\m', 'ab|cd'])
    expect((await database.find(q)).total).toBeGreaterThanOrEqual(0);
});
