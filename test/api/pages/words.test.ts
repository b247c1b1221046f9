import { describe, expect, test } from 'vitest';
import { fillCount } from '../../../api/pages/format.ts';
import type { CountedText } from '../../../api/pages/words/types.ts';
import { wordsIn } from '../../../api/pages/words/words.ts';
import { normalizeCondition } from '../../../shared/normalize/condition.ts';
import { profileOf } from '../../../shared/profiles/read-profile.ts';
import type { Locale } from '../../../shared/profiles/profile.ts';

const nautical = profileOf('nautical');

type Text = string | CountedText;

const isCounted = (value: object): value is CountedText => 'one' in value && 'other' in value;

/** The texts of English by their path, each with the text at the same path in a locale. */
function pairsIn(locale: Locale): { path: string; english: Text; text: Text }[] {
  const walkThrough = (english: object, other: object, path: string): { path: string; english: Text; text: Text }[] =>
    Object.entries(english).flatMap(([key, value]: [string, Text | object]) => {
      const text = (other as Record<string, Text | object>)[key]!;
      if (typeof value === 'string' || isCounted(value))
        return [{ path: `${path}${key}`, english: value, text: text as Text }];
      return walkThrough(value, text as object, `${path}${key}.`);
    });
  return walkThrough(wordsIn('en'), wordsIn(locale), '');
}

const formsOf = (text: Text) => (typeof text === 'string' ? [text] : Object.values(text));
const placeholdersOf = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([name]) => name).toSorted();
const hasLetters = (text: string) => /\p{L}/u.test(text.replaceAll(/\{\w+\}/g, ''));

const others = nautical.locales.filter((locale) => locale !== 'en');

/** Texts that are the same as in English, and why that is right. */
const SAME: Partial<Record<Locale, Record<string, string>>> = {
  de: {
    'nav.feeds': 'loan word',
    'reasons.spam': 'loan word',
    'kept.name': 'Name is German',
    'reports.subjects.user': 'Person is German',
  },
  es: { 'reasons.spam': 'loan word', 'yesNo.false': 'No is Spanish' },
  fr: {
    'nav.inbox': 'Messages is French',
    'nav.menu': 'Menu is French',
    'nav.console': 'Console is French',
    'listing.description': 'Description is French',
    'listing.urgent': 'Urgent is French',
    'reasons.spam': 'loan word',
    'my.photos': 'Photos is French',
    'my.alt': 'Description is French',
    'reports.subjects.message': 'Message is French',
  },
  it: {
    'nav.account': 'loan word',
    'nav.menu': 'loan word',
    'nav.console': 'Console is Italian',
    'reasons.spam': 'loan word',
    'signIn.password': 'loan word',
    'yesNo.false': 'No is Italian',
  },
};

describe.each(others)('the texts in %s', (locale) => {
  const pairs = pairsIn(locale);

  test('have the same values in every form as English', () => {
    const strays = pairs.flatMap(({ path, english, text }) => {
      const expected = placeholdersOf(formsOf(english).at(-1)!).join();
      return formsOf(text)
        .filter((form) => placeholdersOf(form).join() !== expected)
        .map((form) => `${path}: ${form}`);
    });
    expect(strays).toEqual([]);
  });

  test('are English only where the word is the same in both languages', () => {
    const same = pairs
      .filter(({ english, text }) => formsOf(text).some((form) => hasLetters(form) && formsOf(english).includes(form)))
      .map(({ path }) => path);
    expect(same.toSorted()).toEqual(Object.keys(SAME[locale] ?? {}).toSorted());
  });

  test('are never empty, and use the marks of the language', () => {
    const wrong = pairs
      .flatMap(({ path, text }) => formsOf(text).map((form) => ({ path, form })))
      .filter(
        ({ form }) => form.trim() !== form || form === '' || /['"]|\.\.\.| - /.test(form) || hasStrayMark(locale, form),
      );
    expect(wrong).toEqual([]);
  });

  test('name conditions as the reader of foreign pages knows them', () => {
    const { conditions } = wordsIn(locale);
    const read = Object.entries(conditions).map(([condition, name]) => [condition, normalizeCondition(name)]);
    expect(read).toEqual(Object.keys(conditions).map((condition) => [condition, condition]));
  });
});

/** A quotation mark of another language, a question without its first mark, or a double mark without its no-break space. */
function hasStrayMark(locale: Locale, text: string): boolean {
  switch (locale) {
    case 'de':
      return /[«»’”]/.test(text);
    case 'es':
      return /[„“”‘’]/.test(text) || /^[^¿]*\?/.test(text) || /^[^¡]*!/.test(text);
    case 'fr':
      return /[„“”‘]|(?<!\u00A0)[:;?!»]|«(?!\u00A0)/.test(text);
    case 'it':
      return /[„“”‘]|\s[:;?!]/.test(text);
    case 'ja':
      return /[„“”‘’?!,]|(?<=[^\p{ASCII}}])\.$/u.test(text);
    default:
      return /[„“”«»]/.test(text);
  }
}

test.each(nautical.locales)('a text with a count has a form for each plural category of %s, and no other', (locale) => {
  const { pluralCategories } = new Intl.PluralRules(locale).resolvedOptions();
  const counted = pairsIn(locale).filter(({ english }) => typeof english !== 'string');
  expect(counted.length).toBeGreaterThan(0);
  for (const { path, text } of counted)
    expect({ path, forms: Object.keys(text).toSorted() }).toEqual({ path, forms: pluralCategories.toSorted() });
});

test.each([
  ['en', '0 listings', '1 listing', '2 listings', '1,000,000 listings'],
  ['de', '0 Anzeigen', '1 Anzeige', '2 Anzeigen', '1.000.000 Anzeigen'],
  ['fr', '0 annonce', '1 annonce', '2 annonces', '1\u202F000\u202F000 d’annonces'],
  ['es', '0 anuncios', '1 anuncio', '2 anuncios', '1.000.000 de anuncios'],
  ['it', '0 annunci', '1 annuncio', '2 annunci', '1.000.000 di annunci'],
  ['ko', '게시물 0개', '게시물 1개', '게시물 2개', '게시물 1,000,000개'],
  ['ja', '出品数0件', '出品数1件', '出品数2件', '出品数1,000,000件'],
] as const)('%s counts nothing, one, two and a million as its speakers do', (locale, ...expected) => {
  const { listings } = wordsIn(locale).seller;
  expect([0, 1, 2, 1_000_000].map((count) => fillCount(locale, listings, count))).toEqual(expected);
});
