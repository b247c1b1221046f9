import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ingestRecord } from '../../../shared/normalize/record-type.ts';
import type { RawRecord } from '../../../shared/normalize/record-type.ts';
import { toPlainText } from '../../../shared/normalize/html-text.ts';
import { normalizeRecord } from '../../../shared/normalize/record.ts';
import { times } from '../../support/lane.ts';

const context = { site: 'ads.example', now: new Date('2026-03-01T12:00:00Z') };
const raw: RawRecord = { url: 'https://ads.example/a/1', title: 'Teak table' };

function recordOf(fields: Partial<RawRecord>, more: object = {}) {
  const result = normalizeRecord({ ...raw, ...fields }, { ...context, ...more });
  if ('reason' in result) throw new Error(result.reason);
  return result.record;
}

test('a raw record becomes an ingest record that holds it', () => {
  const page: RawRecord = {
    ...raw,
    title: '  Hallberg-Rassy&nbsp;31 <b>Monsun</b> ',
    description: '<p>First &amp; best.</p><p>Second<br>line.</p>',
    price: '54.900 € VB',
    condition: 'UsedCondition',
    breadcrumbs: ['Home', 'Boats', 'Sailboats', 'Hallberg-Rassy 31 Monsun'],
    category: 'Cruising',
    images: [{ url: 'https://ads.example/1.jpg', alt: 'Bow' }, { url: 'ftp://ads.example/2.jpg' }],
    location: { text: '6900 Bregenz, Österreich' },
    properties: { Länge: '9,42 m', Breite: '2,85 m', Farbe: 'blau' },
    language: 'de-AT',
    brand: 'Hallberg-Rassy',
    sku: '884213',
  };
  expect(normalizeRecord(page, { ...context, categoryId: 'sailboats' })).toEqual({
    record: {
      url: 'https://ads.example/a/1',
      title: 'Hallberg-Rassy 31 Monsun',
      description: 'First & best.\n\nSecond\nline.',
      category_id: 'sailboats',
      category_hint: 'Boats > Sailboats > Cruising',
      condition: 'good',
      price: { amount: 54_900, currency: 'EUR', negotiable: true },
      location: { country: 'AT', country_name: 'Austria', city: 'Bregenz', postal_code: '6900' },
      images: [{ url: 'https://ads.example/1.jpg', alt: 'Bow' }],
      attributes: { brand: 'Hallberg-Rassy', sku: '884213', color: 'blau' },
      boat: {
        type: 'boat',
        brand: 'Hallberg-Rassy',
        condition: 'good',
        specs: { dimensions: { length_overall_m: 9.42, beam_m: 2.85 } },
      },
      language: 'de',
      site: 'ads.example',
      scraped_at: '2026-03-01T12:00:00.000Z',
      raw_record: page,
    },
  });
});

describe('a reason instead of a record', () => {
  test.each([
    [{ url: 'ftp://x.example/1', title: 'x' }, /address/],
    [{ url: 'not a url', title: 'x' }, /address/],
    [{ url: `https://x.example/${'x'.repeat(2_100)}`, title: 'x' }, /address/],
    [{ url: 'https://x.example/1' }, /title/],
    [{ url: 'https://x.example/1', title: ' <br> &nbsp; ' }, /title/],
  ])('%o', (page, reason) => {
    expect(normalizeRecord(page, context)).toEqual({ reason: expect.stringMatching(reason) });
  });
});

test('the country of the place settles the currency of a shared sign', () => {
  expect(recordOf({ price: '$ 100', location: { text: 'Toronto, ON, Canada' } }).price?.currency).toBe('CAD');
  expect(recordOf({ price: '37 500 kr' }, { country: 'SE' }).price?.currency).toBe('SEK');
  expect(recordOf({ price: '37 500 kr' })).not.toHaveProperty('price');
});

test('an ad that looks for something is wanted', () => {
  expect(recordOf({ title: 'Suche Segelboot bis 8 m' }).type).toBe('wanted');
  expect(recordOf({ title: 'Wanted: anchor' }).type).toBe('wanted');
  expect(recordOf({ title: 'Suchen Sie ein Boot?' })).not.toHaveProperty('type');
});

test('a condition may stand behind a label', () => {
  expect(recordOf({ properties: { Zustand: 'neuwertig' } }).condition).toBe('like_new');
});

test('facts of cars and homes come in their units, other labels as printed', () => {
  const { attributes } = recordOf({
    properties: {
      mileageFromOdometer: '12,500 mi',
      vehicleTransmission: 'Automatik',
      numberOfDoors: '5',
      floorSize: '80 m²',
      Höhe: '1,2 m',
      'Sitz-Bezug': 'Leder',
      色: '赤',
      __proto__: 'x',
    },
  });
  expect(attributes).toEqual({
    mileage: 20_117,
    transmission: 'Automatik',
    doors: 5,
    living_area: 80,
    height: 120,
    sitz_bezug: 'Leder',
    color: '赤',
  });
});

test('a record means the same in whatever order its facts were stored', () => {
  const facts = [
    ['Farbe', 'graphit'],
    ['Color', 'graphite'],
    ['Condition', 'used'],
    ['Zustand', 'neu'],
    ['Exterior color', 'graphit/grey'],
  ];
  const read = (ordered: string[][]) => {
    const { raw_record: _, ...record } = recordOf({ properties: Object.fromEntries(ordered) });
    return record;
  };
  expect(read(facts.toReversed())).toEqual(read(facts));
  expect(read(facts).attributes).toMatchObject({ color: 'graphite' });
});

test('language is taken only when it is one', () => {
  expect(recordOf({ language: 'fr_CH' }).language).toBe('fr');
  expect(recordOf({ language: 'xx' })).not.toHaveProperty('language');
  expect(recordOf({ language: 'english' })).not.toHaveProperty('language');
});

describe('toPlainText', () => {
  test.each([
    ['<p>One.</p><p>Two.</p>', 'One.\n\nTwo.'],
    ['&lt;p&gt;One &amp;amp; two&lt;/p&gt;', 'One & two'],
    ['a<br>b<br/>c', 'a\nb\nc'],
    ['line one\nline <b>two</b>', 'line one\nline two'],
    ['<script>alert(1)</script>safe', 'safe'],
    ['1 < 2 and 3 > 2', '1 < 2 and 3 > 2'],
    ['  many   spaces\t\there\n\n\n\nend ', 'many spaces here\n\nend'],
    ['nul\u0000 and bell\u0007', 'nul and bell'],
  ])('%s', (text, expected) => {
    expect(toPlainText(text)).toBe(expected);
  });
});

test('every record that comes out is one that ingest takes', () => {
  const text = fc.oneof(
    fc.string(),
    fc.string({ unit: 'binary', maxLength: 3_000 }),
    fc.constantFrom('10 m', '€ 5', '1998', 'Boat', '<p>x</p>', 'DE', '35 ft', '__proto__', 'constructor', 'toString'),
  );
  const label = fc.oneof(
    fc.string(),
    fc.constantFrom('Length', 'Beam', 'Draft', 'Year', '__proto__', 'constructor', 'Power', 'Cabins', '色'),
  );
  const anyRaw = fc.record(
    {
      url: fc.oneof(fc.webUrl(), fc.string()),
      title: text,
      description: text,
      price: text,
      currency: text,
      condition: text,
      brand: text,
      category: text,
      breadcrumbs: fc.array(text, { maxLength: 5 }),
      images: fc.array(fc.record({ url: fc.oneof(fc.webUrl(), text), alt: text }), { maxLength: 4 }),
      location: fc.record(
        { country: text, region: text, city: text, postalCode: text, text, lat: fc.double(), lng: fc.double() },
        { requiredKeys: [] },
      ),
      properties: fc.dictionary(label, text),
      language: text,
    },
    { requiredKeys: ['url'] },
  );
  const isTaken = fc.property(anyRaw, (page) => {
    const result = normalizeRecord(page, context);
    return 'reason' in result || ingestRecord.safeParse(result.record).success;
  });
  expect(() => fc.assert(isTaken, { numRuns: times(500, 10_000) })).not.toThrow();
});

test.each([
  ['Location', 'Kiel, Germany', { country: 'DE', city: 'Kiel' }],
  ['Standort:', '88131 Lindau, Deutschland', { country: 'DE', city: 'Lindau', postal_code: '88131' }],
  ['所在地', '日本', { country: 'JP' }],
])('a place that a table of facts labels %s is where the thing is', (label, text, location) => {
  expect(recordOf({ properties: { [label]: text } }).location).toMatchObject(location);
});

test('a structured place counts before a labelled one', () => {
  const location = { city: 'Split', country: 'HR' };
  expect(recordOf({ location, properties: { Location: 'Kiel, Germany' } }).location).toMatchObject(location);
});
