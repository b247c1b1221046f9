import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import { prefixStatement, type SuggestionRow, type Source, type Sources } from './prefix-statements.ts';
import { beginsAtWord, foldAscii } from './text.ts';

export type FoundTitle = { id: string; slug: string; title: string };
export type FoundTerm = { query: string; count: number };
/** `text` is the query as it is compared; `isFrequent` tells that the answer is incomplete. */
export type PrefixMatches = { text: string; titles: FoundTitle[]; terms: FoundTerm[]; isFrequent: boolean };

/** Spare candidates: some may be gone or repeat another source. */
const SPARE = 4;
/** From so many missing on the precomputed completions are read anew. */
const MAX_GONE = 4;
const MAX_CACHED = 20_000;
const LAST_LETTER = '\u{10FFFF}';
const ANYWHERE: Sources = { titles: 'unknown', terms: 'unknown' };

/**
 * Prefix completion with as few statements as possible: frequent prefixes are precomputed, others have so few completions
 * that all are read. `isFrequent` is set for a frequent prefix without precomputed completions, or hardly any left: the
 * answer is incomplete then.
 */
export function createPrefixFinder(pool: Pool) {
  /** Where the completions of a prefix were found last; asked first. */
  const remembered = new LRUCache<string, Sources>({ max: MAX_CACHED });

  return async function findQuickly(q: string, since: string, limit: number): Promise<PrefixMatches> {
    const text = foldAscii(q) ?? (await plainTextOf(pool, q));
    if (text === '') return { text, titles: [], terms: [], isFrequent: false };
    const look = (sources: Sources) => lookInto(pool, sources, [text, text + LAST_LETTER, since, limit + SPARE]);
    const known = remembered.get(text);
    let found = await look(known ?? ANYWHERE);
    if (known && found.isFrequent) found = await look(ANYWHERE);
    if (found.isFrequent) remembered.delete(text);
    else remembered.set(text, found.sources);
    return { text, ...found };
  };
}

async function lookInto(pool: Pool, sources: Sources, values: [text: string, ...unknown[]]) {
  const { rows } = await pool.query<SuggestionRow>({ ...prefixStatement(sources), values });
  const found = { titles: [] as FoundTitle[], terms: [] as FoundTerm[], isFrequent: false, sources };
  let ready = 0;
  for (const row of rows.sort((a, b) => b.n - a.n)) {
    if (row.kind === 'term') found.terms.push({ query: row.text, count: row.n });
    else if (row.kind === 'state') {
      [ready, found.isFrequent] = [Math.max(row.n, 0), row.n < 0];
      found.sources = { titles: row.id as Source, terms: row.slug as Source };
    } else if (row.kind === 'title' || isStill(row.text, values[0]))
      found.titles.push({ id: row.id, slug: row.slug, title: row.text });
  }
  found.isFrequent ||= ready - found.titles.length > MAX_GONE;
  return found;
}

async function plainTextOf(pool: Pool, q: string): Promise<string> {
  const { rows } = await pool.query<{ text: string }>({
    name: 'suggest-text',
    text: 'select suggestion_text($1) as text',
    values: [q],
  });
  return rows[0]?.text ?? '';
}

/** What was ready may have another title by now: the statement looks at those with other letters, this at all others. */
function isStill(title: string, text: string): boolean {
  if (` ${title.toLowerCase()}`.includes(` ${text}`)) return true;
  const plain = foldAscii(title);
  return plain === undefined || beginsAtWord(plain, text);
}
