import type { Document } from './collection.ts';
import { readQuery, typos, wordsOf } from './text.ts';

type Parameters = Record<string, string | number | boolean>;
type Marked = { matched_tokens: string[]; snippet: string };

const MAX_WORDS = 30;

/** The fields searched that have a word of the query, marked: a beginning as such, a mistyped word as a whole. */
export function highlight(document: Document, parameters: Parameters): Record<string, Marked | Marked[]> {
  const { words, phrases } = readQuery(String(parameters['q']));
  const wanted = [...words, ...phrases.flat()];
  const marks = [parameters['highlight_start_tag'] ?? '<mark>', parameters['highlight_end_tag'] ?? '</mark>'].map(
    String,
  );
  const found: Record<string, Marked | Marked[]> = {};
  for (const name of String(parameters['query_by']).split(',')) {
    const value = document[name];
    const texts = (Array.isArray(value) ? value : [value]).filter((each) => typeof each === 'string');
    const marked = texts.map((text) => mark(text, wanted, marks)).filter((each) => each.matched_tokens.length > 0);
    const [first] = marked;
    if (first) found[name] = Array.isArray(value) ? marked : first;
  }
  return found;
}

function mark(text: string, wanted: readonly string[], [start = '', end = '']: readonly string[]): Marked {
  const matched: string[] = [];
  const beginning = text
    .split(/(?<=\s)/u)
    .slice(0, MAX_WORDS)
    .join('')
    .trim();
  const snippet = beginning.replaceAll(/[\p{L}\p{M}\p{N}]+/gu, (word) => {
    const [plain = ''] = wordsOf(word);
    const typed = wanted.find((each) => plain.startsWith(each) || (each.length > 3 && typos(each, plain, 1) <= 1));
    if (typed === undefined) return word;
    const length = plain.startsWith(typed) ? typed.length : word.length;
    matched.push(word.slice(0, length));
    return `${start}${word.slice(0, length)}${end}${word.slice(length)}`;
  });
  return { matched_tokens: matched, snippet };
}
