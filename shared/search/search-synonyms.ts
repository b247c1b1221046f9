import type { Pool } from 'pg';
import type { Phrase, SearchPool, SynonymRule } from './search-pool.ts';
import { countUses } from './search-frequencies.ts';
import type { Word } from './question-word.ts';
import { isStopWord, localeWords } from './search-stop-words.ts';

/** So many are looked for besides a word: a cursor has to hold them, and a saved search to watch for them. */
const MOST_SYNONYMS = 5;
/** Synonyms that more listings use than so many are left out, as they would cost more than they find; of phrases, each match is read. */
const MOST_USES = 20_000;
const MOST_USES_IN_PHRASE = 8_000;
/** Fewer matches of the word itself want all synonyms, at whatever cost. */
const FEW = 10;

/**
 * The words with what else may be said for them: `query` then finds the synonyms as well, `alone` what was typed, and `uses`
 * tells how many listings that is about. Words without synonyms stay as they are.
 */
export async function addSynonyms(pool: SearchPool, words: readonly Word[]): Promise<Word[]> {
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
  const { counts } = await countUses(pool, queries);
  const uses = new Map(queries.map((query, index) => [query, counts[index] ?? 0]));
  return words.map((word, index) => expand(word, [...(others[index]?.values() ?? [])], uses));
}

function expand(word: Word, others: readonly Phrase[], uses: ReadonlyMap<string, number>): Word {
  const own = uses.get(word.query) ?? 0;
  const usesOf = (phrase: Phrase) => Math.min(...phrase.words.map((each) => uses.get(each) ?? 0));
  const most = (phrase: Phrase) => (phrase.words.length > 1 ? MOST_USES_IN_PHRASE : MOST_USES);
  const taken = others
    .filter((each) => each.query !== word.query && each.words.length > 0)
    .filter((each) => own < FEW || usesOf(each) < most(each))
    .slice(0, MOST_SYNONYMS);
  if (taken.length === 0) return word;
  return {
    typed: word.typed,
    query: [word, ...taken].map(({ query }) => `(${query})`).join(' | '),
    alone: word.query,
    uses: taken.reduce((sum, each) => sum + usesOf(each), own),
  };
}

function cacheRules(pool: SearchPool): Promise<Map<string, SynonymRule[]>> {
  const known = readRules(pool);
  pool.words.synonyms = known;
  known.catch(() => (pool.words.synonyms = undefined));
  return known;
}

/** The rules by their first words, as the dictionary of the index reads them: in all forms of a word, with accents and without. */
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
