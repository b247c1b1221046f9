import { toWesternDigits } from './amount.ts';

const EARLIEST = 1850;
const ERAS: [RegExp, number][] = [
  [/(?:令和|R)\s?(元|\d{1,2})年?/u, 2018],
  [/(?:平成|H)\s?(元|\d{1,2})年?/u, 1988],
  [/(?:昭和|S)\s?(元|\d{1,2})年?/u, 1925],
];

/**
 * The first year a text names (`08/2022`, `Bj. 1998`, `2015년식`, `平成10年`), between 1850 and two years after now;
 * undefined otherwise. Two-digit years are not guessed.
 */
export function normalizeYear(text: string, now: Date): number | undefined {
  const clean = toWesternDigits(text.slice(0, 200));
  const latest = now.getUTCFullYear() + 2;
  for (const [match] of clean.matchAll(/(?<![\d,])\d{4}(?!\d|[.,]\d)/g)) {
    const year = Number(match);
    if (year >= EARLIEST && year <= latest) return year;
  }
  for (const [pattern, before] of ERAS) {
    const match = /年|元/.test(clean) || /[\u4e00-\u9fff]/.test(clean) ? pattern.exec(clean) : null;
    if (match) return before + (match[1] === '元' ? 1 : Number(match[1]));
  }
  return undefined;
}
