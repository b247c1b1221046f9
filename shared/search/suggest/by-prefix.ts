import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import { prefixStatement, type SuggestionRow, type Source, type Sources } from './prefix-statements.ts';
import { beginsAtWord, foldAscii } from './text.ts';

export type FoundTitle = { id: string; slug: string; title: string };
export type FoundTerm = { query: string; count: number };
/** `text` is what was asked, in the form in which it is compared. */
export type PrefixMatches = { text: string; titles: FoundTitle[]; terms: FoundTerm[]; isFrequent: boolean };

/** An answer shows ten at most; some may be gone, or say what another source says. */
const SPARE = 4;
/** From more on that are gone since a beginning was looked at, it is better looked at again. */
const MAX_GONE = 4;
const MAX_CACHED = 20_000;
const LAST_LETTER = '\u{10FFFF}';
const ANYWHERE: Sources = { titles: 'unknown', terms: 'unknown' };

/**
 * Finds what begins with `q`, at most about `limit` of each kind, by as few looks into the database as there can be: crowded
 * beginnings have theirs ready, others have so few that all are read. A beginning that is crowded but has none ready, or
 * hardly any that are left, is told by `isFrequent`: then this is not all there is.
 */
export function createPrefixFinder(pool: Pool) {
  /** Where what begins with a text stood last: it is looked for there, and anywhere when it stands there no longer. */
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
