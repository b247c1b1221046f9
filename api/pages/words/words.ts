import type { Locale } from '../../../shared/profiles/profile.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';
import { it } from './it.ts';
import { ja } from './ja.ts';
import { ko } from './ko.ts';
import type { Words } from './types.ts';

const words: Record<Locale, Words> = { en, es, fr, de, it, ko, ja };

export const wordsIn = (locale: Locale): Words => words[locale];
