import { describe, expect, test } from 'vitest';
import { feedSettings, type FeedSettings } from '../../../shared/feeds/mapping.ts';
import { normalizeRecord } from '../../../shared/normalize/record.ts';
import type { MappedItem } from '../../../shared/feeds/map-item.ts';
import { mapAll, openMarine } from './support.ts';

const now = new Date('2026-03-01T12:00:00Z');
const rawOf = (item: MappedItem | undefined) => {
  if (!item || 'problem' in item) throw new Error(`no record: ${JSON.stringify(item)}`);
  return item.raw;
};
const recordOf = (item: MappedItem | undefined) => {
  const normalized = normalizeRecord(rawOf(item), { site: 'brokers.example.com', now });
  if ('reason' in normalized) throw new Error(normalized.reason);
  return normalized.record;
};

describe('openmarine', () => {
  test('a sailing boat with everything: texts, price, place, images and measures', async () => {
    const [boat] = await mapAll(openMarine, { preset: 'openmarine' });
    expect(recordOf(boat)).toMatchObject({
      url: 'https://brokers.example.com/boats/kestrel-36',
      title: 'Norderwerft Kestrel 36',
      description: 'A sound cruiser & ready to go, with new sails.',
      category_hint: 'Boats > Sailing boats > Cruising yacht',
      condition: 'good',
      price: { amount: 54_900, currency: 'EUR' },
      location: { country: 'DE', city: 'Kiel' },
      language: 'en',
      images: [
        { url: 'https://brokers.example.com/images/1001-1.jpg' },
        { url: 'https://brokers.example.com/images/1001-2.jpg?size=large&v=2' },
      ],
      boat: {
        brand: 'Norderwerft',
        model: 'Kestrel 36',
        year: 2004,
        specs: {
          dimensions: { length_overall_m: 10.95, beam_m: 3.42, draft_m: 1.85 },
          construction: { material: 'fiberglass' },
          engine: { engine_brand: 'Yanmar', engine_power_hp: 29, fuel_type: 'diesel' },
          accommodation: { cabins: 3, berths: 7 },
        },
      },
    });
  });

  test('a price on application is none, feet are feet, and a boat without an address is known by broker and ref', async () => {
    const [, boat, gone, other] = await mapAll(openMarine, { preset: 'openmarine' });
    const record = recordOf(boat);
    expect(record.price).toBeUndefined();
    expect(record.boat).toMatchObject({ specs: { dimensions: { length_overall_m: expect.closeTo(12.8, 1) } } });
    expect(record.url).toBe('https://brokers.example.com/?feed=scr_1&item=EX1-1002');
    expect(rawOf(other).url).toBe('https://brokers.example.com/?feed=scr_1&item=EX2-1002');
    expect([boat, gone, other].map((item) => item && 'isDeleted' in item && item.isDeleted)).toEqual([
      false,
      true,
      false,
    ]);
    expect(rawOf(other).availability).toBe('Sold');
  });
});

describe('google-merchant', () => {
  const item = `<g:id>7</g:id><title>Oak table</title><description>Solid, 180 cm.</description>
    <g:image_link>https://brokers.example.com/7.jpg</g:image_link>
    <g:additional_image_link>https://brokers.example.com/7b.jpg</g:additional_image_link>
    <g:price>420.00 EUR</g:price><g:sale_price>380.00 EUR</g:sale_price><g:availability>out_of_stock</g:availability>
    <g:condition>used</g:condition><g:brand>Nordtisch</g:brand><g:gtin>4006381333931</g:gtin>
    <g:product_type>Furniture &gt; Tables</g:product_type><g:color>natural</g:color>
    <g:product_detail><g:attribute_name>Seats</g:attribute_name><g:attribute_value>6</g:attribute_value></g:product_detail>`;
  const expected = {
    url: 'https://brokers.example.com/p/7',
    title: 'Oak table',
    description: 'Solid, 180 cm.',
    price: '380.00 EUR',
    availability: 'out of stock',
    brand: 'Nordtisch',
    gtin: '4006381333931',
    sku: '7',
    category: 'Furniture > Tables',
    images: [{ url: 'https://brokers.example.com/7.jpg' }, { url: 'https://brokers.example.com/7b.jpg' }],
    properties: { Color: 'natural', Seats: '6' },
  };

  test.each([
    [
      'RSS',
      `<rss version="2.0" xmlns:g="http://base.google.com/ns/1.0"><channel><title>Shop</title><item><link>https://brokers.example.com/p/7</link>${item}</item></channel></rss>`,
    ],
    [
      'Atom',
      `<feed xmlns="http://www.w3.org/2005/Atom" xmlns:g="http://base.google.com/ns/1.0"><title>Shop</title><entry><id>urn:7</id><link href="https://brokers.example.com/p/7"/>${item}</entry></feed>`,
    ],
  ])('%s with g: fields', async (_what, file) => {
    const [table] = await mapAll(file, { preset: 'google-merchant' });
    expect(rawOf(table)).toMatchObject(expected);
    expect(recordOf(table)).toMatchObject({ price: { amount: 380, currency: 'EUR' }, condition: 'good' });
  });

  test('the same names as columns of a table', async () => {
    const file =
      'id\ttitle\tlink\tprice\timage_link\tadditional_image_link\n7\tOak table\thttps://brokers.example.com/p/7\t380.00 EUR\thttps://brokers.example.com/7.jpg\thttps://brokers.example.com/7b.jpg,https://brokers.example.com/7c.jpg\n';
    const [table] = await mapAll(file, { preset: 'google-merchant' });
    expect(rawOf(table)).toMatchObject({
      url: 'https://brokers.example.com/p/7',
      title: 'Oak table',
      price: '380.00 EUR',
    });
    expect(rawOf(table).images).toHaveLength(3);
  });
});

describe('csv', () => {
  test('a header of usual names; other columns become facts, marked rows are gone', async () => {
    const file = `Link;Name;Price;Currency;Images;Town;Country;Length;Action
https://brokers.example.com/1;Kestrel 36;54.900;EUR;https://x.example/1.jpg|https://x.example/2.jpg;Kiel;DE;10,95 m;
https://brokers.example.com/2;Kestrel 30;;;;;;;delete`;
    const [boat, gone] = await mapAll(file, { preset: 'csv' });
    expect(rawOf(boat)).toEqual({
      url: 'https://brokers.example.com/1',
      title: 'Kestrel 36',
      price: '54.900',
      currency: 'EUR',
      images: [{ url: 'https://x.example/1.jpg' }, { url: 'https://x.example/2.jpg' }],
      location: { city: 'Kiel', country: 'DE' },
      properties: { length: '10,95 m' },
    });
    expect(gone).toMatchObject({ isDeleted: true });
  });
});

describe('a mapping of its own', () => {
  const settings: Partial<FeedSettings> = {
    fields: {
      url: { template: 'https://brokers.example.com/boats/{ref}' },
      title: [{ template: '{make} {model}' }, 'model'],
      price: { path: 'price', unless: { path: 'hidden', equals: ['YES'] } },
      category: { path: 'kind', map: { s: 'Sailing boats' } },
      images: { path: 'photos', split: ' + ' },
    },
    properties: { Length: { template: '{length} {unit?}' } },
    deleted: { path: 'state', equals: ['gone'] },
  };

  test('templates, replaced texts, conditions and lists', async () => {
    const file = JSON.stringify([
      {
        ref: 1,
        make: 'Norderwerft',
        model: 'Kestrel',
        price: 5,
        kind: 'S',
        photos: 'https://a.example/1.jpg + https://a.example/2.jpg',
        length: 9,
        unit: 'm',
      },
      { ref: 2, model: 'Kestrel', price: 5, hidden: 'yes', length: 9, state: 'Gone' },
      { model: 'without a ref' },
    ]);
    const [first, second, third] = await mapAll(file, settings);
    expect(rawOf(first)).toEqual({
      url: 'https://brokers.example.com/boats/1',
      title: 'Norderwerft Kestrel',
      price: '5',
      category: 'Sailing boats',
      images: [{ url: 'https://a.example/1.jpg' }, { url: 'https://a.example/2.jpg' }],
      properties: { Length: '9 m' },
    });
    expect(rawOf(second)).toEqual({
      url: 'https://brokers.example.com/boats/2',
      title: 'Kestrel',
      properties: { Length: '9' },
    });
    expect(second).toMatchObject({ isDeleted: true });
    expect(third).toEqual({ problem: 'The item has neither an address nor an id.' });
  });

  test.each([
    ['a path', { fields: { url: 'a//b[' } }],
    ['a field', { fields: { hull: 'a' } }],
    ['a preset', { preset: 'boats' }],
    ['a mode', { mode: 'all' }],
    ['a key', { colour: 'a' }],
  ])('%s that is none is refused', (_what, wrong) => {
    expect(feedSettings.safeParse(wrong).success).toBe(false);
  });
});
