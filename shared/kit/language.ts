import type { eld as Eld } from 'eld/extrasmall';

const MIN_LETTERS = 40;
/** Hangul and kana name their language; a few characters are enough. */
const MIN_CJK_LETTERS = 8;
/** The longest part that is looked at, in characters: more text changes no verdict. */
const SAMPLE_LENGTH = 300;
/** How far the best language must be ahead of the second, as a difference of eld's scores (0-1). */
const CLEAR_LEAD = 0.05;

let detector: Promise<typeof Eld> | undefined;

/**
 * The ISO 639-1 code of the language of a text, or undefined when it is too short (40 letters; 8 for Korean, Japanese and
 * Chinese) or the guess would be unsure. The first call of a longer text loads the detector (about 0.2 s, 30 MB of heap).
 */
export async function detectLanguage(text: string): Promise<string | undefined> {
  const sample = text.slice(0, SAMPLE_LENGTH);
  const letters = count(sample, /\p{L}/gu);
  const byScript = eastAsian(sample, letters);
  if (byScript !== undefined) return byScript;
  if (letters < MIN_LETTERS) return undefined;
  detector ??= import('eld/extrasmall').then(({ eld }) => eld);
  const guess = (await detector).detect(sample);
  if (!guess.isReliable()) return undefined;
  const [best = 0, second = 0] = Object.values(guess.getScores()).sort((a, b) => b - a);
  return best - second < CLEAR_LEAD ? undefined : guess.language;
}

function eastAsian(sample: string, letters: number): string | undefined {
  const hangul = count(sample, /\p{Script=Hangul}/gu);
  const kana = count(sample, /[\p{Script=Hiragana}\p{Script=Katakana}]/gu);
  const han = count(sample, /\p{Script=Han}/gu);
  const eastern = hangul + kana + han;
  // Latin brand names stand in many Korean and Japanese ads; a few eastern words in an English one do not make it Korean.
  if (eastern < MIN_CJK_LETTERS || eastern < letters / 3) return undefined;
  if (hangul >= eastern / 2) return 'ko';
  if (kana >= eastern / 8) return 'ja';
  return kana === 0 && hangul === 0 ? 'zh' : undefined;
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}
