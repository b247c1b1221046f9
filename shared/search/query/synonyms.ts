import type { Pool } from 'pg';
import type { Phrase, SearchPool, SynonymRule } from '../search-pool.ts';
import { readDocumentFrequencies, type QueryTerm } from './document-frequencies.ts';
import { isStopWord, localeWords } from './stop-words.ts';

/** Synonyms per word at most: a cursor holds them, a saved search watches for them. */
const MAX_SYNONYMS = 5;
/** Document frequencies above which a synonym costs more than it finds; phrases are rechecked in the heap. */
const MAX_USES = 20_000;
const MAX_USES_IN_PHRASE = 8_000;
/** Below so many matches of the word itself all synonyms are used. */
const FEW = 10;

/**
 * Synonym expansion: `query` finds a word's synonyms as well, `typedOnly` the word as typed, `uses` is the document
 * frequency. Words without synonyms stay.
 */
export async function addSynonyms(pool: SearchPool, words: readonly QueryTerm[]): Promise<QueryTerm[]> {
  const rules = await (pool.words.synonyms ?? cacheRules(pool));
  const others = words.map(() => new Map<string, Phrase>());
  for (const [at, { query }] of words.entries()) {
    for (const rule of rules.get(query) ?? []) {
      if (!rule.words.every((each, index) => words[at + index]?.query === each)) continue;
      for (const index of rule.words.keys())
        for (const other of rule.others) others[at + index]?.set(other.query, other);
    }
  }
  const asked = words.filter((_, index) => others[index]?.size);
  if (asked.length === 0) return [...words];
  const parts = others.flatMap((each) => [...each.values()].flatMap((phrase) => phrase.words));
  const queries = [...new Set([...asked.map(({ query }) => query), ...parts])];
  const { counts } = await readDocumentFrequencies(pool, queries);
  const uses = new Map(queries.map((query, index) => [query, counts[index] ?? 0]));
  return words.map((word, index) => expand(word, [...(others[index]?.values() ?? [])], uses));
}

function expand(word: QueryTerm, others: readonly Phrase[], uses: ReadonlyMap<string, number>): QueryTerm {
  const own = uses.get(word.query) ?? 0;
  const usesOf = (phrase: Phrase) => Math.min(...phrase.words.map((each) => uses.get(each) ?? 0));
  const most = (phrase: Phrase) => (phrase.words.length > 1 ? MAX_USES_IN_PHRASE : MAX_USES);
  const taken = others
    .filter((each) => each.query !== word.query && each.words.length > 0)
    .filter((each) => own < FEW || usesOf(each) < most(each))
    .slice(0, MAX_SYNONYMS);
  if (taken.length === 0) return word;
  return {
    typed: word.typed,
    query: [word, ...taken].map(({ query }) => `(${query})`).join(' | '),
    typedOnly: word.query,
    uses: taken.reduce((sum, each) => sum + usesOf(each), own),
  };
}

function cacheRules(pool: SearchPool): Promise<Map<string, SynonymRule[]>> {
  const known = readRules(pool);
  pool.words.synonyms = known;
  known.catch(() => (pool.words.synonyms = undefined));
  return known;
}

/** The rules by first word, in the lexemes of PostgreSQL's dictionary. */
async function readRules(pool: Pool): Promise<Map<string, SynonymRule[]>> {
  const groups = localeWords.flatMap(({ same, oneWay }) => [
    ...same.flatMap((all) => all.map((from) => ({ from, to: all.filter((each) => each !== from) }))),
    ...oneWay.map(([from, ...to]) => ({ from, to })),
  ]);
  const phrases = await readPhrases(pool, [...new Set(groups.flatMap(({ from, to }) => [from, ...to]))]);
  const rules = new Map<string, SynonymRule[]>();
  for (const { from, to } of groups) {
    const words = phrases.get(from)?.words ?? [];
    const [first] = words;
    if (first === undefined) continue;
    const others = to.flatMap((each) => phrases.get(each) ?? []);
    rules.set(first, [...(rules.get(first) ?? []), { words, others }]);
  }
  return rules;
}

async function readPhrases(pool: Pool, phrases: readonly string[]): Promise<Map<string, Phrase>> {
  const { rows } = await pool.query<{ phrase: string; query: string; typed: string[]; words: string[] }>({
    text: `select phrase, phraseto_tsquery('quayside', spaced_text(replace(phrase, '-', ' '), false))::text as query, terms.*
      from unnest($1::text[]) as phrase cross join lateral (
        select coalesce(array_agg(typed order by place), '{}') as typed, coalesce(array_agg(query::text order by place), '{}') as words
        from search_terms(phrase)) as terms`,
    values: [phrases],
  });
  return new Map(
    rows.map(({ phrase, query, typed, words }) => [
      phrase,
      { query, words: words.filter((_, index) => !isStopWord(typed[index] ?? '')) },
    ]),
  );
}
