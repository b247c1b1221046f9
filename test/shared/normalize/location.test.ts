import { describe, expect, test } from 'vitest';
import { countryOf } from '../../../shared/normalize/country.ts';
import { normalizeLocation } from '../../../shared/normalize/location.ts';

describe('countryOf', () => {
  test.each([
    ['DE', 'DE'],
    ['DEU', 'DE'],
    ['UK', 'GB'],
    ['u.s.a.', 'US'],
    ['Germany', 'DE'],
    ['Alemania', 'DE'],
    ['Allemagne', 'DE'],
    ['Deutschland', 'DE'],
    ['Germania', 'DE'],
    ['독일', 'DE'],
    ['ドイツ', 'DE'],
    ['Tyskland', 'DE'],
    ['België', 'BE'],
    ['Croatia (Hrvatska)', 'HR'],
    ['Scotland', 'GB'],
    ['Kosovo', undefined],
    ['XK', undefined],
    ['ZZ', undefined],
    ['nowhere', undefined],
    ['', undefined],
  ])('%s is %s', (text, code) => {
    expect(countryOf(text)).toBe(code);
  });
});

describe('normalizeLocation of a text', () => {
  test.each([
    ['88131 Lindau', 'DE', { country: 'DE', city: 'Lindau', postal_code: '88131' }],
    ['D-24159 Kiel', undefined, { country: 'DE', city: 'Kiel', postal_code: '24159' }],
    ['1012 AB Amsterdam', 'NL', { country: 'NL', city: 'Amsterdam', postal_code: '1012 AB' }],
    ['London SW1A 1AA', undefined, { country: 'GB', city: 'London', postal_code: 'SW1A 1AA' }],
    ['Paris 75001', 'FR', { country: 'FR', city: 'Paris', postal_code: '75001' }],
    ['Greifswald, Germany', undefined, { country: 'DE', city: 'Greifswald' }],
    ['Palma de Mallorca (Spain)', undefined, { country: 'ES', city: 'Palma de Mallorca' }],
    ['부산, 대한민국', undefined, { country: 'KR', city: '부산' }],
    ['Switzerland » Lake Geneva » Vésenaz', undefined, { country: 'CH', region: 'Lake Geneva', city: 'Vésenaz' }],
    ['Switzerland Â» Lake Geneva Â» VÃ©senaz', undefined, { country: 'CH', region: 'Lake Geneva', city: 'Vésenaz' }],
    ['Marina Kaštela, Split, Croatia', undefined, { country: 'HR', city: 'Split', marina: 'Marina Kaštela' }],
    ['Miami, FL 33101', undefined, { country: 'US', region: 'Florida', city: 'Miami', postal_code: '33101' }],
    ['Seattle WA', undefined, { country: 'US', region: 'Washington', city: 'Seattle' }],
    ['Sausalito, California, USA', undefined, { country: 'US', region: 'California', city: 'Sausalito' }],
    ['Los Angeles, CA', undefined, { country: 'US', region: 'California', city: 'Los Angeles' }],
    ['Toronto, ON, Canada', undefined, { country: 'CA', region: 'Ontario', city: 'Toronto' }],
    ['Berlin, DE', undefined, { country: 'DE', city: 'Berlin' }],
    [
      'Wilmington, DE 19801',
      undefined,
      { country: 'US', region: 'Delaware', city: 'Wilmington', postal_code: '19801' },
    ],
    ['Sweden', undefined, { country: 'SE' }],
    ['Raleigh, NC', undefined, { country: 'US', region: 'North Carolina', city: 'Raleigh' }],
    ['Portland, ME', 'DE', { country: 'US', region: 'Maine', city: 'Portland' }],
    ['Salem, IN', undefined, { country: 'US', region: 'Indiana', city: 'Salem' }],
    ['Nowhere, NC', 'FR', { country: 'US', region: 'North Carolina', city: 'Nowhere' }],
    ['Wilmington, DE', undefined, { country: 'US', region: 'Delaware', city: 'Wilmington' }],
    ['Mumbai, IN', undefined, { country: 'IN', city: 'Mumbai' }],
    ['Toronto, CA', undefined, { country: 'CA', city: 'Toronto' }],
    ['Batumi, Georgia', undefined, { country: 'GE', city: 'Batumi' }],
    ['Atlanta, Georgia', undefined, { country: 'US', region: 'Georgia', city: 'Atlanta' }],
    ['Kilpauk, Chennai, Tamil Nadu', 'IN', { country: 'IN', region: 'Tamil Nadu', city: 'Chennai' }],
    ['15230 Frankfurt (Oder)', 'DE', { country: 'DE', city: 'Frankfurt (Oder)', postal_code: '15230' }],
    ['Croatia (Hrvatska)', undefined, { country: 'HR' }],
    ['Croatia (Hrvatska) » Split', undefined, { country: 'HR', city: 'Split' }],
    ['Monaco, Monaco', undefined, { country: 'MC', city: 'Monaco' }],
    ['Kiel, N/A, Germany', undefined, { country: 'DE', city: 'Kiel' }],
  ])('%s (%s)', (text, country, expected) => {
    const { country_name: _, ...location } = normalizeLocation({ text }, country) ?? {};
    expect(location).toEqual(expected);
  });
});

test.each([
  'N/A',
  '-',
  '--',
  'see description',
  'siehe Beschreibung',
  'unknown',
  'auf Anfrage',
  'onbekend',
  'sur demande',
])('the placeholder %j is no place', (text) => {
  expect(normalizeLocation({ text })).toBeUndefined();
  expect(normalizeLocation({ city: text, country: 'DE' })).toEqual({ country: 'DE', country_name: 'Germany' });
});

test('named parts win over the text, and the page country over the context', () => {
  const location = normalizeLocation({ country: 'Italien', city: 'Venedig', text: 'Split, Croatia' }, 'DE');
  expect(location).toEqual({ country: 'IT', country_name: 'Italy', city: 'Venedig' });
});

test('coordinates out of range, and the point nobody is at, are left out', () => {
  expect(normalizeLocation({ city: 'Kiel', lat: 54.3, lng: 10.1 })).toMatchObject({ lat: 54.3, lng: 10.1 });
  expect(normalizeLocation({ city: 'Kiel', lat: 54.3, lng: 200 })).not.toHaveProperty('lat');
  expect(normalizeLocation({ city: 'Kiel', lat: 0, lng: 0 })).not.toHaveProperty('lat');
});

test('nothing known is undefined; the country of the site alone is a location', () => {
  expect(normalizeLocation(undefined)).toBeUndefined();
  expect(normalizeLocation({})).toBeUndefined();
  expect(normalizeLocation(undefined, 'fr')).toBeUndefined();
  expect(normalizeLocation(undefined, 'FR')).toEqual({ country: 'FR', country_name: 'France' });
});
