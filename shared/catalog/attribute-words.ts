import { readFileSync } from 'node:fs';
import type { Locale } from '../profiles/profile.ts';

/**
 * Words by locale for attributes of marketplaces and fields of the specification of a boat (`hull_type`, without the unit of their
 * names; `boats.length` where one template says it in its own way) and for their values (`hull_type=monohull`), where templates
 * have none of their own. English is not among them: templates have it, and keys and values are it.
 */
const words = readWords();

function readWords(): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const text = readFileSync(new URL('../../db/seed/attribute-words.tsv', import.meta.url), 'utf8').trim();
  const [[, ...locales] = [], ...rows] = text.split('\n').map((line) => line.split('\t'));
  return new Map(
    rows.map(([key = '', ...row]) => {
      if (row.length !== locales.length || row.includes(''))
        throw new Error(`attribute-words.tsv: ${key} lacks a word`);
      return [key, new Map(locales.map((locale, index) => [locale, row[index]!]))];
    }),
  );
}

/** The label of an attribute in the locale, of a template if it has one of its own there; undefined in English, and for unknown ones. */
export const translateAttribute = (key: string, locale: Locale, assetType?: string): string | undefined =>
  (words.get(`${assetType}.${key}`) ?? words.get(key))?.get(locale);

/** A value that templates and boats name in the locale, `extra_long` as `extra long` in English; a text of somebody's own as it is. */
export function translateValue(key: string, value: string, locale: Locale): string {
  const word = words.get(`${key}=${value}`);
  return word ? (word.get(locale) ?? value.replaceAll('_', ' ')) : value;
}
