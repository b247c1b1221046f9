import { createPhraseFinder, foldText, readTokens, type PhraseMatch, type Token } from '../kit/phrases.ts';
import { negations, terms, type Term } from './terms.ts';

export type ForbiddenTerm = { code: 'blocked_term' | 'prohibited_goods'; verdict: 'reject' | 'review'; text: string };

const NEGATION_REACH = 3;
const commonTerms = createPhraseFinder<Term>(terms);
type FindTerms = typeof commonTerms;

/** A marketplace's own phrases beside those that none allows; `allow` are innocent ones that hold a forbidden one. */
export type TermLists = Record<'reject' | 'review' | 'allow', readonly string[]>;

const finders = new WeakMap<TermLists, FindTerms>();

/** The search for the common terms and those of the lists, compiled once for each marketplace. */
function finderOf(lists: TermLists | undefined): FindTerms {
  if (!lists || lists.reject.length + lists.review.length + lists.allow.length === 0) return commonTerms;
  const known = finders.get(lists);
  if (known) return known;
  const own = (phrases: readonly string[], term: Term) => phrases.map((phrase) => [phrase, term] as const);
  const finder = createPhraseFinder<Term>([
    ...terms,
    ...own(lists.reject, { code: 'blocked_term', verdict: 'reject' }),
    ...own(lists.review, { code: 'blocked_term', verdict: 'review' }),
    ...own(lists.allow, { verdict: 'fine' }),
  ]);
  finders.set(lists, finder);
  return finder;
}

// c0caine, v1agra, f@ke: read once more with the letters meant. Plain numbers and model codes stay what they are.
const disguisedWord = /(?<![a-z])[a-z]{1,30}[013457@$!]+[a-z][a-z013457@$!]*/g;
const disguises: Record<string, string> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
  '!': 'i',
};
const spacedWord = /(?<![\p{L}\p{N}])(?:[a-z][ .*_-]){3,}[a-z](?![\p{L}\p{N}])/gu;

/** The forbidden or doubtful terms of a text, also in disguise (`c0caine`, `v i a g r a`), without those that it negates. */
export function findForbiddenTerms(text: string, lists?: TermLists): ForbiddenTerm[] {
  const findTerms = finderOf(lists);
  const folded = foldText(text.replaceAll(/[\u200B-\u200D\u2060\uFEFF\u00AD]/g, ''));
  const found = search(folded, findTerms);
  const revealed = reveal(folded);
  if (revealed !== '') found.push(...search(revealed, findTerms).filter(({ verdict }) => verdict === 'reject'));
  return found;
}

function search(folded: string, findTerms: FindTerms): ForbiddenTerm[] {
  const tokens = readTokens(folded);
  const found: ForbiddenTerm[] = [];
  for (const match of findTerms(tokens, folded)) {
    const { start, text, anywhere, values } = match;
    if (values.some(({ verdict }) => verdict === 'fine')) continue;
    if (!anywhere && spansSentences(tokens, match, folded)) continue;
    if (!anywhere && isNegated(tokens, start, folded)) continue;
    for (const term of values) if (term.verdict !== 'fine') found.push({ ...term, text });
  }
  return found;
}

function isNegated(tokens: readonly Token[], at: number, folded: string): boolean {
  const end = tokens[at]?.start;
  const before = tokens.slice(Math.max(0, at - NEGATION_REACH), at);
  return before.some(({ text, start }) => negations.has(text) && !/[.!?;\n]/.test(folded.slice(start, end)));
}

/** "White, power windows" is no phrase: its words belong to different parts of the sentence. */
function spansSentences(tokens: readonly Token[], { start, length }: PhraseMatch<Term>, folded: string): boolean {
  const last = tokens[start + length - 1];
  return length > 1 && /[.,;:!?\n]/.test(folded.slice(tokens[start]?.start, last?.start));
}

/** The disguised words of a text as they are meant, one per line; empty when there are none. */
function reveal(folded: string): string {
  const words: string[] = [];
  for (const [word] of folded.matchAll(disguisedWord))
    words.push(word.replaceAll(/[013457@$!]/g, (sign) => disguises[sign] ?? sign));
  for (const [word] of folded.matchAll(spacedWord)) words.push(word.replaceAll(/[^a-z]/g, ''));
  return words.join('\n');
}
