import { expect, test } from 'vitest';
import { countryNameIn, isCountry, isCurrency, isLanguage } from '../../../shared/kit/codes.ts';

test.each(['EUR', 'USD', 'JPY', 'KWD', 'XOF', 'XCG', 'ZWG', 'SLE', 'VED'])('%s is a currency in use', (code) => {
  expect(isCurrency(code)).toBe(true);
});

test.each(['XXX', 'XTS', 'XAU', 'XDR', 'HRK', 'BGN', 'DEM', 'ANG', 'ZWL', 'SLL', 'eur', 'EU', '', 'constructor'])(
  "'%s' is no currency in use",
  (code) => {
    expect(isCurrency(code)).toBe(false);
  },
);

test('every currency is one that the platform can format', () => {
  const known = new Set(Intl.supportedValuesOf('currency'));
  const ours = [...known].filter(isCurrency);
  expect(ours.length).toBeGreaterThan(150);
  expect(
    [...known].filter((code) => !isCurrency(code)).every((code) => /^(?:X|ANG|BGN|CUC|HRK|SLL|ZWL)/.test(code)),
  ).toBe(true);
});

test('countries are those of ISO 3166-1, in capitals, without user-assigned codes', () => {
  expect(['DE', 'US', 'KR', 'TW', 'GB', 'AQ'].filter((code) => !isCountry(code))).toEqual([]);
  expect(['XK', 'UK', 'EU', 'ZZ', 'de', 'DEU', '276', ''].filter(isCountry)).toEqual([]);
});

test('languages are those of ISO 639-1, in small letters', () => {
  expect(['en', 'ko', 'sv', 'nb'].filter((code) => !isLanguage(code))).toEqual([]);
  expect(['xx', 'EN', 'eng', '', 'toString'].filter(isLanguage)).toEqual([]);
});

test('a country has a name in every locale, English for an unknown one', () => {
  expect(countryNameIn('DE', 'en')).toBe('Germany');
  expect(countryNameIn('DE', 'de')).toBe('Deutschland');
  expect(countryNameIn('KR', 'ja')).toBe('韓国');
  expect(countryNameIn('ES', 'no such locale')).toBe('Spain');
  expect(countryNameIn('XK', 'en')).toBeUndefined();
});
