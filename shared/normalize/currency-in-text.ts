import { readCurrency, type PrintedCurrency } from './currencies.ts';

/** A currency as it stands beside a number: `length` of the text it takes, the space between them included. */
export type NearCurrency = PrintedCurrency & { length: number };

const MAX_WINDOW = 24;
const MAX_WORDS = 3;
/** Small letters that people type codes in; other codes in small letters are words: `all`, `top`, `try`. */
const TYPED_CODES = new Set('eur usd gbp chf sek nok dkk pln czk huf ron cad aud jpy krw inr'.split(' '));

/** The currency that ends a text: the longest sign or words that do, at most three of them. */
export function readCurrencyBefore(text: string): NearCurrency | undefined {
  const bare = text.slice(-MAX_WINDOW).replace(/[ :.]{1,3}$/, '');
  const gap = Math.min(text.length, MAX_WINDOW) - bare.length;
  for (const start of borders(bare).filter((at) => at < bare.length)) {
    const printed = bare.slice(start);
    if (printed.startsWith(' ') || countWords(printed) > MAX_WORDS) continue;
    const found = readCurrency(printed);
    if (found) return { ...found, length: printed.length + gap };
  }
  return undefined;
}

/** The currency that begins a text, after one space at most. */
export function readCurrencyAfter(text: string): NearCurrency | undefined {
  const gap = text.startsWith(' ') ? 1 : 0;
  const bare = /^[^\d\n]{0,24}/.exec(text.slice(gap))?.[0] ?? '';
  for (const end of borders(bare).toReversed()) {
    const printed = bare.slice(0, end);
    if (end === 0 || printed.endsWith(' ') || countWords(printed) > MAX_WORDS) continue;
    const found = readCurrency(printed) ?? readSmallCode(printed);
    if (found) return { ...found, length: printed.length + gap };
  }
  return undefined;
}

/** The one currency that a text names among other words; undefined when there are none or several. */
export function findCurrency(text: string): PrintedCurrency | undefined {
  const words = text.split(/[\s\d.,:;/()-]+/).filter((word) => word !== '');
  const found = new Map<string, PrintedCurrency>();
  for (const word of words) {
    const currency = readCurrency(word);
    if (currency?.trusted === 'anywhere') found.set([...currency.codes].join(), currency);
  }
  const [only] = found.values();
  return found.size === 1 ? only : undefined;
}

function readSmallCode(printed: string): PrintedCurrency | undefined {
  if (!/^[a-z]{3}$/i.test(printed)) return undefined;
  const code = readCurrency(printed.toUpperCase());
  return code && { ...code, trusted: TYPED_CODES.has(printed.toLowerCase()) ? 'anywhere' : 'alone' };
}

/** Where a sign may begin or end: between letters and anything else. */
function borders(text: string): number[] {
  const found = [0];
  for (let at = 1; at < text.length; at += 1) {
    if (!(isLetter(text[at - 1]) && isLetter(text[at]))) found.push(at);
  }
  if (text.length > 0) found.push(text.length);
  return found;
}

const isLetter = (char: string | undefined) => char !== undefined && /[\p{L}\p{M}]/u.test(char);

const countWords = (text: string) => text.split(' ').length;
