import { describe, expect, test } from 'vitest';
import { normalizeLength } from '../../../shared/normalize/length.ts';
import { normalizeLocation } from '../../../shared/normalize/location.ts';
import { normalizeRecord } from '../../../shared/normalize/record.ts';
import type { RawRecord } from '../../../shared/normalize/record-type.ts';

const now = new Date('2026-11-01T00:00:00Z');

function recordOf(raw: Partial<RawRecord>, country?: string) {
  const whole = { url: 'https://ads.example/1', title: 'A sloop', breadcrumbs: ['Boats', 'Sail', 'A sloop'], ...raw };
  const result = normalizeRecord(whole, { site: 'ads.example', now, country });
  if ('reason' in result) throw new Error(result.reason);
  return result.record;
}

test.each([
  ["21'-6'", 6.55],
  ["36-4'", 11.07],
  ["31 11'", 9.73],
  ["30-35'", 9.14],
  ["11-12'", 3.35],
])('%s is %s m', (text, metres) => {
  expect(normalizeLength(text)).toBe(metres);
});

describe('the length of a boat', () => {
  const lengthOf = (properties: Record<string, string>) =>
    (recordOf({ properties }).boat?.specs as { dimensions?: object } | undefined)?.dimensions;

  test.each(["36''", '36"', "36'"])('%s means feet', (text) => {
    expect(lengthOf({ LOA: text })).toEqual({ length_overall_m: 10.97 });
  });

  test('in inches is read where a boat has some', () => {
    expect(lengthOf({ Length: '30 ft', Draft: '36"' })).toEqual({ length_overall_m: 9.14, draft_m: 0.91 });
  });

  test.each(['Length x Width', 'Abmessungen', 'Dimensions'])('under %s comes with its beam', (label) => {
    expect(lengthOf({ [label]: '10.95 m x 3.50 m' })).toEqual({ length_overall_m: 10.95, beam_m: 3.5 });
  });
});

test('the year that opens the title goes before a label, which may be that of the engine', () => {
  expect(recordOf({ title: '1998 Dufour 43', properties: { 'Year Built': '2012', LOA: '13 m' } }).boat?.year).toBe(
    1998,
  );
  expect(recordOf({ title: 'Dufour 43', properties: { 'Year Built': '2012', LOA: '13 m' } }).boat?.year).toBe(2012);
});

test.each([
  ['1.2849999999999999e+07', 12_850_000],
  ['9.5e-01', 0.95],
])('the sum %s of an export is %s', (price, amount) => {
  expect(recordOf({ price, currency: 'IDR' }).price).toMatchObject({ amount, currency: 'IDR' });
});

test('a sign that many share means the money of the site, wherever the boat lies', () => {
  const raw = { price: '$165,000', location: { text: 'Sydney, Australia' } };
  expect(recordOf(raw, 'US').price).toMatchObject({ amount: 165_000, currency: 'USD' });
  expect(recordOf(raw).price).toMatchObject({ currency: 'AUD' });
});

test.each([
  ['MD', 'US', { country: 'US', region: 'Maryland' }],
  ['Panama, Outside United States', 'US', { country: 'PA' }],
  ['Toronto, Outside United States', 'US', { city: 'Toronto' }],
])('the place %s seen from %s', (text, country, expected) => {
  const location = normalizeLocation({ text }, country);
  expect(location).toMatchObject(expected);
  if (!('country' in expected)) expect(location).not.toHaveProperty('country');
});
