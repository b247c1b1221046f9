export type Token = { text: string; start: number };
/** `anywhere` marks a match inside running text, which has no place among the words. */
export type PhraseMatch<T> = { start: number; length: number; text: string; anywhere: boolean; values: readonly T[] };

export const EAST_ASIAN = /[\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u;
const MIN_AFFIX_LENGTH = 3;

/** Small letters without accents, in one spelling: the form in which words are compared. */
export function foldText(text: string): string {
  return text
    .normalize('NFKD')
    .replaceAll(/[\u0300-\u036F]/g, '')
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replaceAll('ø', 'o')
    .replaceAll('æ', 'ae')
    .replaceAll('œ', 'oe');
}

/** The words of a folded text, letters and digits of any script, with their places in it. */
export function readTokens(folded: string): Token[] {
  const tokens: Token[] = [];
  for (const { 0: text, index } of folded.matchAll(/[\p{L}\p{N}]+/gu)) tokens.push({ text, start: index });
  return tokens;
}

/** The words of a text in small letters without accents, with single spaces. */
export const plainText = (text: string): string =>
  readTokens(foldText(text))
    .map((token) => token.text)
    .join(' ');

/**
 * A search for many phrases at once. In Latin script a phrase also matches in the plural and written as one word, the longest
 * at a place wins, and no word counts twice; `word*` and `*word` match longer words. Phrases in Korean, Japanese or Chinese
 * match anywhere in the text.
 */
export function createPhraseFinder<T>(entries: Iterable<readonly [phrase: string, value: T]>) {
  const phrases = new Map<string, T[]>();
  const prefixes = new Map<string, T[]>();
  const suffixes = new Map<string, T[]>();
  const substrings = new Map<string, T[]>();
  /** The first word of a phrase -> the most words of any phrase that begins with it. */
  const longestFrom = new Map<string, number>();
  let longestAffix = 0;

  for (const [phrase, value] of entries) {
    const text = foldText(phrase);
    if (EAST_ASIAN.test(text)) append(substrings, text, value);
    else if (text.endsWith('*') || text.startsWith('*')) {
      append(text.endsWith('*') ? prefixes : suffixes, text.replace('*', ''), value);
      longestAffix = Math.max(longestAffix, text.length - 1);
    } else {
      for (const form of spellings(text)) {
        const words = form.split(' ');
        const [first = ''] = words;
        append(phrases, form, value);
        longestFrom.set(first, Math.max(longestFrom.get(first) ?? 0, words.length));
      }
    }
  }

  function affixed(word: string): readonly T[] | undefined {
    for (let length = Math.min(word.length, longestAffix); length >= MIN_AFFIX_LENGTH; length -= 1) {
      const values = prefixes.get(word.slice(0, length)) ?? suffixes.get(word.slice(-length));
      if (values) return values;
    }
    return undefined;
  }

  function longestAt(tokens: readonly Token[], at: number): PhraseMatch<T> | undefined {
    const word = tokens[at]?.text ?? '';
    for (let length = Math.min(longestFrom.get(word) ?? 0, tokens.length - at); length > 0; length -= 1) {
      const text = joined(tokens, at, length);
      const values = phrases.get(text);
      if (values) return { start: at, length, text, anywhere: false, values };
    }
    const values = affixed(word);
    return values && { start: at, length: 1, text: word, anywhere: false, values };
  }

  return function findPhrases(tokens: readonly Token[], folded: string): PhraseMatch<T>[] {
    const matches: PhraseMatch<T>[] = [];
    for (let at = 0; at < tokens.length; at += 1) {
      const match = longestAt(tokens, at);
      if (!match) continue;
      matches.push(match);
      at += match.length - 1;
    }
    if (substrings.size === 0 || !EAST_ASIAN.test(folded)) return matches;
    for (const [text, values] of substrings) {
      if (folded.includes(text))
        matches.push({ start: 0, length: Math.ceil(text.length / 2), text, anywhere: true, values });
    }
    return matches;
  };
}

function joined(tokens: readonly Token[], at: number, length: number): string {
  let text = tokens[at]?.text ?? '';
  for (let next = at + 1; next < at + length; next += 1) text += ` ${tokens[next]?.text ?? ''}`;
  return text;
}

/** A phrase and its plurals, each also written as one word. */
function spellings(text: string): Set<string> {
  const forms = [text, `${text}s`, `${text}es`];
  if (text.endsWith('y')) forms.push(`${text.slice(0, -1)}ies`);
  return new Set(forms.flatMap((form) => [form, form.replaceAll(' ', '')]));
}

function append<T>(index: Map<string, T[]>, key: string, value: T): void {
  const known = index.get(key);
  if (known) known.push(value);
  else index.set(key, [value]);
}
