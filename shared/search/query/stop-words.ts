import { de } from '../words/de.ts';
import { en } from '../words/en.ts';
import { es } from '../words/es.ts';
import { fr } from '../words/fr.ts';
import { it } from '../words/it.ts';
import { ja } from '../words/ja.ts';
import { ko } from '../words/ko.ts';
import type { LocaleWords } from '../words/locale-words.ts';

/** Synonyms and stop words by language. All hold for every search: who searches in German may read in English. */
export const localeWords: readonly LocaleWords[] = [en, es, fr, de, it, ko, ja];

/** Folds a word as the index does: lower case, no accents. */
export const plainWord = (word: string) => word.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase().normalize();

const stopWords = new Set(localeWords.flatMap(({ stop }) => stop).map(plainWord));

/** Whether a word is a stop word in one of the seven languages. */
export const isStopWord = (word: string) => stopWords.has(plainWord(word));

/** Between words of Chinese characters or katakana, hiragana such as these only join them. */
const joining =
  /(?<=[\p{Script=Han}\p{Script=Katakana}ー])(?:の|と|や|で|が|を|に|は|へ|から|まで|用の|付きの|付き)(?=[\p{Script=Han}\p{Script=Katakana}])/gu;
/** What follows a Korean word of two syllables or more; with `이`, `가` and the like too many words end by themselves. */
const trailing = /(?<=[\p{Script=Hangul}]{2})(?:에서|으로|에게|을|를|은|는|의)(?=\s|$)/gu;

/** Separates particles from Japanese and Korean words, so that the words are found. */
export const withoutParticles = (q: string) => q.normalize('NFKC').replaceAll(joining, ' ').replaceAll(trailing, '');
