import type { Locale } from '../../../shared/profiles/profile.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';
import { it } from './it.ts';
import { ja } from './ja.ts';
import { ko } from './ko.ts';

/** A text with `{count}` in it: a form for each plural category of its language, as Intl.PluralRules names them. */
export type CountedText = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string };

type Translated<Text> = Text extends string
  ? string
  : Text extends { one: string; other: string }
    ? CountedText
    : { [Key in keyof Text]: Translated<Text[Key]> };

/** The texts of the pages in one language: those of English, neither more nor fewer. */
export type Words = Translated<typeof en>;

const words: Record<Locale, Words> = { en, es, fr, de, it, ko, ja };

export const wordsIn = (locale: Locale): Words => words[locale];
