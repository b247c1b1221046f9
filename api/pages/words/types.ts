import type { ownPagesEn } from './en-own-pages.ts';
import type { refusalsEn } from './en-refusals.ts';
import type { en } from './en.ts';

/** A text with `{count}` in it: a form for each plural category of its language, as Intl.PluralRules names them. */
export type CountedText = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string };

type Translated<Text> = Text extends string
  ? string
  : Text extends { one: string; other: string }
    ? CountedText
    : { [Key in keyof Text]: Translated<Text[Key]> };

/** The texts of the pages in one language: those of English, neither more nor fewer. */
export type Words = Translated<typeof en>;

/** The part of them in the pages of people who have signed in. */
export type OwnPagesWords = Pick<Words, keyof typeof ownPagesEn>;

/** The part of them about what the API refuses. */
export type RefusalWords = Pick<Words, keyof typeof refusalsEn>;
