const DIGITS: [RegExp, number][] = [
  [/[\u0660-\u0669]/g, 0x0660],
  [/[\u06f0-\u06f9]/g, 0x06f0],
  [/[\u0966-\u096f]/g, 0x0966],
  [/[\u0e50-\u0e59]/g, 0x0e50],
];

/** Nothing but printable ASCII. */
const PLAIN = /^[ -~]*$/;
const SPACE = '[\\u00a0\\u202f\\u2009 ]';

/** A printed number: digits in at most nine groups, with any of the separators in use; a space only before a full group of three. */
export const NUMBER_PATTERN = `\\d+(?:(?:[.,'’‘\`´·٬٫]|${SPACE}(?=\\d{3}(?!\\d)))\\d+){0,8}`;

const SCALES: [RegExp, number][] = [
  [/^\s?(?:k|tsd\.?|mila|mil|тыс\.?)(?!\p{L})/iu, 1e3],
  [/^\s?(?:m|mio\.?|mln\.?|mn|million(?:en|s|es)?|millones|milioni|млн\.?)(?![\p{L}²³\d])/iu, 1e6],
  [/^\s?(?:lakhs?|lacs?)(?!\p{L})/iu, 1e5],
  [/^\s?(?:crores?|cr)(?!\p{L})/iu, 1e7],
  [/^\s?[万만萬]/u, 1e4],
  [/^\s?[億억亿]/u, 1e8],
];

/** Western digits for Arabic, Persian, Devanagari, Thai and full-width ones. */
export function toWesternDigits(text: string): string {
  if (PLAIN.test(text)) return text;
  let out = text.normalize('NFKC');
  for (const [pattern, zero] of DIGITS) out = out.replace(pattern, (digit) => String(digit.charCodeAt(0) - zero));
  return out;
}

/**
 * The value of a printed number by the shape of its separators: `1.234,56`, `1,234.56`, `1'234`, `2,43,300`, `12,5`.
 * A lone separator before exactly three digits groups thousands unless the number starts with 0 or `decimals` is 3.
 */
export function parseAmount(printed: string, decimals = 2): number | undefined {
  const text = printed.replace(/[\s'’‘`´·٬]/g, '').replaceAll('٫', ',');
  const parts = text.split(/[.,]/);
  const last = parts.at(-1) ?? '';
  if (parts.length === 1) return toNumber(text);
  const signs = text.replace(/\d/g, '');
  const isMixed = signs.includes('.') && signs.includes(',');
  const isDecimal = isMixed
    ? signs.indexOf(signs.at(-1) ?? '') === signs.length - 1
    : parts.length === 2
      ? isDecimalTail(parts[0] ?? '', last, decimals)
      : last.length < 3;
  const whole = (isDecimal ? parts.slice(0, -1) : parts).join('');
  return toNumber(isDecimal ? `${whole}.${last}` : whole);
}

/** The factor a word right after a number stands for (`80k`, `1,5 Mio.`, `25 lakh`, `350만`), 1 when there is none. */
export function scaleAfter(rest: string): number {
  return SCALES.find(([pattern]) => pattern.test(rest))?.[1] ?? 1;
}

function isDecimalTail(head: string, tail: string, decimals: number): boolean {
  if (tail.length !== 3) return true;
  return decimals === 3 || head.startsWith('0') || head === '' || head.length > 3;
}

function toNumber(text: string): number | undefined {
  const value = Number(text);
  return text === '' || !Number.isFinite(value) ? undefined : value;
}
