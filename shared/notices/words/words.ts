import type { Locale } from '../../profiles/profile.ts';
import { statementDe } from './de.ts';
import { statementEn } from './en.ts';
import { statementEs } from './es.ts';
import { statementFr } from './fr.ts';
import { statementIt } from './it.ts';
import { statementJa } from './ja.ts';
import { statementKo } from './ko.ts';
import type { StatementWords } from './types.ts';

export const statementWords: Record<Locale, StatementWords> = {
  en: statementEn,
  es: statementEs,
  fr: statementFr,
  de: statementDe,
  it: statementIt,
  ko: statementKo,
  ja: statementJa,
};
