import type { Locale } from '../../../shared/profiles/profile.ts';
import { en } from './en.ts';

/** The texts of the pages in one language. */
export type Words = typeof en;

const words: Partial<Record<Locale, Words>> = { en };

export const wordsIn = (locale: Locale): Words => words[locale] ?? en;
