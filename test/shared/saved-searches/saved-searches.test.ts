import { describe, expect, test } from 'vitest';
import { readContract } from '../../../api/http/contract.ts';
import { requiredWordsOf } from '../../../shared/saved-searches/required-words.ts';
import { findNews } from '../../../shared/saved-searches/find-news.ts';
import { nextDigestAt } from '../../../shared/saved-searches/digests.ts';
import { toQueryString } from '../../../shared/saved-searches/query.ts';

describe('the words that every text found must have one of', () => {
  test.each([
    [`'bavaria'`, ['bavaria']],
    [`'teak' & 'bavaria'`, ['bavaria']],
    [`'bavaria' | 'hans'`, ['bavaria', 'hans']],
    [`'teak' & ( 'bavaria' | 'hans' )`, ['teak']],
    [`'a' <-> 'bee' <2> 'c'`, ['bee']],
    [`'teak' & !'engin'`, ['teak']],
    [`'o''brien' & 'a\\\\b'`, ["o'brien"]],
    [`'teak':AB & 'x'`, ['teak']],
    [`!'teak'`, undefined],
    [`!( 'teak' & 'deck' ) | 'x'`, undefined],
    [`'tea':*`, undefined],
    ['', undefined],
  ])('of %s: %j', (query, anchors) => {
    expect(requiredWordsOf(query)).toEqual(anchors);
  });
});

describe('when mail is due', () => {
  test.each([
    ['instant', '2026-03-04T12:00:00Z', '2026-03-04T12:00:10Z'],
    ['instant', '2026-03-04T12:00:01Z', '2026-03-04T12:00:15Z'],
    ['daily', '2026-03-04T06:59:59Z', '2026-03-04T07:00:00Z'],
    ['daily', '2026-03-04T07:00:00Z', '2026-03-05T07:00:00Z'],
    ['weekly', '2026-03-04T12:00:00Z', '2026-03-09T07:00:00Z'],
    ['weekly', '2026-03-09T06:00:00Z', '2026-03-09T07:00:00Z'],
    ['weekly', '2026-03-09T07:00:00Z', '2026-03-16T07:00:00Z'],
  ] as const)('%s at %s: %s', (notify, now, due) => {
    expect(nextDigestAt(notify, new Date(now))).toEqual(new Date(due));
  });
});

describe('which events make a listing news', () => {
  const price = (amount: number, currency = 'EUR') => ({ amount, currency });
  const event = (type: string, data: object, previous: object | null = null) =>
    ({ type, subject: 'lst_1', data, previous }) as Parameters<typeof findNews>[0][number];
  const change = (from: object, to: object) =>
    event('listing.updated', { status: 'active', price: to }, { price: from });
  const drop = (from: number, to: number) => change(price(from), price(to));

  test.each([
    ['a publication', [event('listing.published', {})], [{ reason: 'new' }]],
    ['a return', [event('listing.updated', { status: 'active' }, { status: 'paused' })], [{ reason: 'new' }]],
    ['a pause', [event('listing.updated', { status: 'paused' }, { status: 'active' })], []],
    ['a lower price', [drop(10, 9)], [{ reason: 'price_drop', previous_price: 10 }]],
    ['two lower prices', [drop(10, 9), drop(9, 8)], [{ reason: 'price_drop', previous_price: 10 }]],
    ['a higher price', [drop(9, 10)], []],
    [
      'a lower price in another currency',
      [change(price(100), price(190, 'USD'))],
      [{ reason: 'price_drop', previous_price: 200 }],
    ],
    ['a higher price in another currency', [change(price(100), price(210, 'USD'))], []],
    ['a price in a currency without a rate', [change(price(100), price(1, 'SEK'))], []],
    ['no price any more', [drop(9, 0)], []],
    ['a price at last', [drop(0, 9)], []],
    ['a lower price of what is new', [event('listing.published', {}), drop(10, 9)], [{ reason: 'new' }]],
    ['a sale', [event('listing.sold', {}, { status: 'active' })], []],
  ])('%s', (_name, events, expected) => {
    const rates = { date: '2026-11-20', rates: { USD: 2 } };
    expect(findNews(events, rates)).toEqual(expected.map((each) => ({ listing_id: 'lst_1', ...each })));
  });
});

const notFilters = new Set([
  'sort',
  'seed',
  'page',
  'cursor',
  'limit',
  'fields',
  'facets',
  'facet_limit',
  'explain',
  'highlight',
  'lang',
  'Accept-Language',
]);

test('the filters of a saved search are those of the search, each held to the same rules', () => {
  const { document } = readContract();
  type Node = {
    properties: Record<string, Node>;
    name: string;
    in: string;
    schema: { default?: unknown; type?: string };
  };
  const { parameters = {}, schemas = {} } = document.components as Record<string, Record<string, Node>>;
  const search = document.paths['/api/listings']?.['get'] as { parameters: { $ref: string }[] };
  const filters = search.parameters
    .flatMap(({ $ref }) => parameters[$ref.split('/').at(-1) ?? ''] ?? [])
    .filter((each) => each.in === 'query' && !notFilters.has(each.name) && each.name !== 'attr');
  const { attr, ...own } = schemas['SavedSearchQuery']?.properties ?? {};
  // What is a list may be a text as well, as it was before there were lists.
  const expected = filters.map(({ name, schema }) => {
    const plain = { ...schema, default: undefined };
    return [name, schema.type === 'array' ? { anyOf: [expect.objectContaining({ type: 'string' }), plain] } : plain];
  });
  expect(own).toEqual(Object.fromEntries(expected));
  expect(attr).toMatchObject({
    maxProperties: 30,
    additionalProperties: { $ref: '#/components/schemas/SavedAttributeFilter' },
  });
});

test('a saved search leads back to the search', () => {
  const query = { q: 'a&b', attr: { min_year: 1999 }, 'attr[brand]': 'Hanse', shipping: false };
  expect(decodeURIComponent(toQueryString(query))).toBe('q=a&b&shipping=false&attr[min_year]=1999&attr[brand]=Hanse');
});
