import { expect, test } from 'vitest';
import { defaultCurrencyOf, deriveCountry } from '../../../shared/ingest/places.ts';

test.each([
  [{ country: 'PT', country_name: 'Spain', site: 'x.de' }, 'PT'],
  [{ country_name: ' Deutschland ', site: 'x.it' }, 'DE'],
  [{ country_name: 'イタリア', site: 'x.com' }, 'IT'],
  [{ country_name: 'USA', site: 'x.com' }, 'US'],
  [{ country_name: 'Croatia (Hrvatska)', site: 'x.com' }, 'HR'],
  [{ country_name: 'Virgin Islands (British)', site: 'x.com' }, 'VG'],
  [{ country_name: 'Saint Vincent and the Grenadines', site: 'x.com' }, 'VC'],
  [{ country_name: 'TURKEY', site: 'x.com' }, 'TR'],
  [{ country_name: '대한민국', site: 'x.com' }, 'KR'],
  [{ country_name: 'Atlantis', site: 'x.co.uk' }, 'GB'],
  [{ site: 'boats.io', currency: 'NOK' }, 'NO'],
  [{ site: 'boats.io', currency: 'EUR' }, 'ZZ'],
  [{ site: 'boats.io', currency: 'USD' }, 'ZZ'],
  [{ site: '127.0.0.1' }, 'ZZ'],
  [{ site: 'boats.eu' }, 'ZZ'],
])('%o is in %s', (evidence, country) => {
  expect(deriveCountry(evidence)).toBe(country);
});

test('the currency of a country, EUR where none is known', () => {
  expect(['CH', 'GB', 'US', 'DE', 'ZZ'].map(defaultCurrencyOf)).toEqual(['CHF', 'GBP', 'USD', 'EUR', 'EUR']);
});
