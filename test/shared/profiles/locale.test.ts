import { expect, test } from 'vitest';
import { negotiateLocale } from '../../../shared/profiles/locale.ts';
import { profileOf } from '../../../shared/profiles/read-profile.ts';

const nautical = profileOf('nautical');

test.each([
  [{ lang: 'fr' }, 'fr'],
  [{ lang: 'DE-at' }, 'de'],
  [{ lang: 'fr', acceptLanguage: 'de' }, 'fr'],
  [{ lang: 'pt', acceptLanguage: 'it' }, 'en'],
  [{ lang: 'zh-Hant-TW', acceptLanguage: 'ko' }, 'en'],
  [{ lang: ' ', acceptLanguage: 'it' }, 'it'],
  [{ acceptLanguage: 'fr-CH, en;q=0.5' }, 'fr'],
  [{ acceptLanguage: 'zh, ko;q=0.8, en;q=0.7' }, 'ko'],
  [{ acceptLanguage: 'zh' }, 'en'],
  [{ acceptLanguage: 'de;q=0.3, ja;q=0.9, *;q=0.1' }, 'ja'],
  [{ acceptLanguage: 'de;q=0, it;q=0.1' }, 'it'],
  [{ acceptLanguage: 'DE-ch' }, 'de'],
  [{ acceptLanguage: 'de;q=nonsense, fr;q=2' }, 'fr'],
  [{ acceptLanguage: '\u0000\ud800,,;q=1' }, 'en'],
  [{ acceptLanguage: '*' }, 'en'],
  [{ acceptLanguage: ';;;,=' }, 'en'],
  [{ lang: '', acceptLanguage: '' }, 'en'],
  [{}, 'en'],
])('%j reads as %s', (wish, locale) => {
  expect(negotiateLocale(wish, nautical)).toBe(locale);
});

test('whoever takes any language gets the default, also where it is not the first', () => {
  const profile = { locales: ['en', 'de'], defaultLocale: 'de' } as const;
  expect(negotiateLocale({ acceptLanguage: '*' }, profile)).toBe('de');
  expect(negotiateLocale({ acceptLanguage: 'en, *;q=0.5' }, profile)).toBe('en');
});

test('a profile that speaks English only always answers in English', () => {
  expect(negotiateLocale({ lang: 'fr', acceptLanguage: 'de' }, profileOf('general'))).toBe('en');
});

test('a huge header is cut, not worked through', () => {
  const acceptLanguage = `${'zz,'.repeat(200_000)}fr`;
  expect(negotiateLocale({ acceptLanguage }, nautical)).toBe('en');
  expect(negotiateLocale({ acceptLanguage: acceptLanguage.slice(-302) }, nautical)).toBe('fr');
});
