import type { connectEn } from './en-connect.ts';
import type { ownPagesEn } from './en-own-pages.ts';
import type { refusalsEn } from './en-refusals.ts';
import type { reportsEn } from './en-reports.ts';
import type { securityEn } from './en-security.ts';
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

/** The part of them about devices, two-factor sign-in and passkeys. */
export type SecurityWords = Pick<Words, keyof typeof securityEn>;
/** The part of them about connecting applications. */
export type ConnectWords = Pick<Words, keyof typeof connectEn>;
/** The part of them about reports, decisions about content, blocks and traders. */
export type ReportsWords = Pick<Words, keyof typeof reportsEn>;
