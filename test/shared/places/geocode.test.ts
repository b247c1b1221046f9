import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { geocode } from '../../../shared/places/geocode.ts';
import { locate, relocate } from '../../../shared/places/locate.ts';

const kiel = { lat: 54.321, lng: 10.135 };

test.each(['Kiel', 'KIEL', ' kiel ', 'Kíel', 'Kiel, Germany', 'Kiel, Schleswig-Holstein'])(
  'the city %j is found whatever its case, its accents and what follows a comma',
  (city) => {
    expect(geocode({ country: 'DE', city })).toEqual(kiel);
  },
);

test.each([
  ['BR', 'sao paulo', 'São Paulo'],
  ['DK', 'Aarhus', 'Århus'],
  ['US', 'ft lauderdale', 'Fort Lauderdale'],
  ['US', 'saint petersburg', 'St. Petersburg'],
])('in %s the spellings %j and %j are one city or unknown, never another one', (country, a, b) => {
  const found = [geocode({ country, city: a }), geocode({ country, city: b })].filter((each) => each !== undefined);
  expect(found.length).toBeGreaterThan(0);
  expect(new Set(found.map(({ lat, lng }) => `${lat} ${lng}`)).size).toBe(1);
});

test('of several cities of one name the most populous is meant, unless the region names another', () => {
  const oregon = geocode({ country: 'US', city: 'Portland' });
  expect(oregon?.lng).toBeLessThan(-120);
  for (const place of [
    { city: 'Portland', region: 'Maine' },
    { city: 'Portland', region: 'me' },
    { city: 'Portland, ME' },
  ])
    expect(geocode({ country: 'US', ...place })?.lng).toBeGreaterThan(-75);
  expect(geocode({ country: 'US', city: 'Portland', region: 'Atlantis' })).toEqual(oregon);
});

test.each([
  ['IT', 'Rome', ['Roma', 'Rom', 'ローマ', '로마']],
  ['IT', 'Genoa', ['Genova', 'Genua', 'GÊNES']],
  ['DE', 'Munich', ['München', 'Muenchen', 'munchen', 'Múnich', 'Monaco di Baviera']],
  ['DE', 'Köln', ['Koeln', 'KOELN', 'Cologne']],
  ['DK', 'Copenhagen', ['København', 'Koebenhavn', 'Kopenhagen']],
  ['SE', 'Göteborg', ['Goeteborg', 'Gothenburg', 'Göteborg, Sverige']],
  ['ES', 'Palma', ['Palma de Mallorca']],
  ['ES', 'Donostia / San Sebastián', ['San Sebastian', 'Donostia']],
  ['GR', 'Piraeus', ['Πειραιάς', 'ΠΕΙΡΑΙΑΣ', 'Piräus', 'Piraeus']],
  ['JP', 'Yokohama', ['横浜', '横浜市']],
  ['KR', 'Busan', ['부산', '부산광역시', 'Pusan']],
  ['US', 'New York City', ['New York', 'New York, NY', 'ニューヨーク']],
  ['US', 'Washington, D.C.', ['Washington', 'Washington, DC']],
  ['IE', 'Gaillimh', ['Galway']],
])('in %s, %j is known by its other names too', (country, city, others) => {
  const found = geocode({ country, city });
  expect(found).toBeDefined();
  for (const other of others) expect([other, geocode({ country, city: other })]).toEqual([other, found]);
});

test.each([
  ['US', 'Portland', 'Ohio'],
  ['US', 'Miami', 'Alaska'],
  ['DE', 'Kiel', 'Bayern'],
  ['CA', 'Toronto', 'BC'],
])('in %s a namesake is never taken for %j in %j, which it contradicts', (country, city, region) => {
  expect(geocode({ country, city, region })).toBeUndefined();
});

test.each([
  ['DE', 'Lindau', '88131', 47.546],
  ['DE', 'Wustrow (Wendland)', '29462', 52.92],
  ['DE', 'Frankfurt (Oder)', '15230', 52.347],
  ['DE', 'Schwanthalerhöhe', '80339', 48.137],
  ['US', 'Springfield', '62701', 39.8],
])('in %s the postal code tells which %j is meant: %s', (country, city, code, lat) => {
  expect(geocode({ country, city, postal_code: code })?.lat).toBeCloseTo(lat, 0);
});

test('small towns are known, and of those that share a name none is meant more than the others', () => {
  expect(geocode({ country: 'DE', city: 'Ummanz', postal_code: '80331' })?.lat).toBeCloseTo(48.1, 0);
  expect(geocode({ country: 'DE', city: 'Buesum' })?.lat).toBeCloseTo(54.13, 1);
  expect(geocode({ country: 'DE', city: 'Biberach' })).toBeDefined();
  expect(geocode({ country: 'DE', city: 'Berg' })).toBeUndefined();
  expect(geocode({ country: 'DE', city: 'Berg', postal_code: '92348' })?.lat).toBeCloseTo(49.81, 0);
});

test.each([
  ['ES', 'Puerto Banús', 'Marbella'],
  ['FR', 'Port Camargue', 'Le Grau-du-Roi'],
  ['HR', 'Marina Punat', 'Punat'],
  ['GR', 'Marina Lefkas', 'Lefkáda'],
  ['ME', 'Porto Montenegro', 'Tivat'],
])('in %s the marina %j is at %j', (country, marina, town) => {
  expect(geocode({ country, city: marina })).toBeDefined();
  expect(geocode({ country, city: marina })).toEqual(geocode({ country, city: town }));
});

test('Puerto Rico is a region of the United States and a country of the list', () => {
  expect(geocode({ country: 'US', city: 'San Juan', region: 'PR' })?.lng).toBeCloseTo(-66.1, 1);
  expect(geocode({ country: 'PR', city: 'San Juan' })?.lng).toBeCloseTo(-66.1, 1);
});

test('every city that has other names is in the list, once in that table', () => {
  const rows = readFileSync(new URL('../../../db/seed/city-names.tsv', import.meta.url), 'utf8')
    .trim()
    .split('\n');
  const named = rows.map((row) => row.split('\t'));
  expect(new Set(named.map(([country, name]) => `${country} ${name}`)).size).toBe(rows.length);
  for (const [country = '', city = '', others = ''] of named)
    for (const each of [city, ...others.split('|')])
      expect([country, each, geocode({ country, city: each }) === undefined]).toEqual([country, each, false]);
});

test.each([
  ['DE', 'Atlantis'],
  ['FR', 'Kiel'],
  ['ZZ', 'Kiel'],
  ['DE', ''],
  ['DE', 'constructor'],
  ['', ', '],
])('nothing is found in %j for %j', (country, city) => {
  expect(geocode({ country, city })).toBeUndefined();
});

test('coordinates that are given are kept, even if only one; those of the city are marked', () => {
  expect(locate({ country: 'DE', city: 'Kiel', lat: 0, lng: 0 })).toEqual({ lat: 0, lng: 0, geocoded: false });
  expect(locate({ country: 'DE', city: 'Kiel', lat: 54 })).toEqual({ lat: 54, lng: null, geocoded: false });
  expect(locate({ country: 'DE', city: 'Kiel', lat: null })).toEqual({ ...kiel, geocoded: true });
  expect(locate({ country: 'DE', city: 'Atlantis' })).toEqual({ lat: null, lng: null, geocoded: false });
});

test('a change of the city moves what was geocoded, and what was given stays only as long as the city does', () => {
  const geocoded = { country: 'DE', city: 'Flensburg', lat: 54.78, lng: 9.44, geocoded: true };
  const given = { ...geocoded, lat: 1, lng: 2, geocoded: false };
  expect(relocate(geocoded, { country: 'DE', city: 'Kiel' })).toEqual({ ...kiel, geocoded: true });
  expect(relocate(given, { country: 'DE', city: 'Kiel' })).toEqual({ ...kiel, geocoded: true });
  expect(relocate(given, { country: 'DE', city: 'Flensburg' })).toEqual({ lat: 1, lng: 2, geocoded: false });
  expect(relocate(geocoded, { country: 'DE', city: 'Kiel', lat: 3, lng: 4 })).toEqual({
    lat: 3,
    lng: 4,
    geocoded: false,
  });
  expect(relocate(geocoded, { country: 'DE', city: 'Atlantis' })).toEqual({ lat: null, lng: null, geocoded: false });
});
