import type { Lengths } from './search-frequencies.ts';

/** A tsquery as text, and what it counts. */
export type Part = { query: string; weight: number };

/**
 * What a search weighs: its words, which so many listings use, and the pairs of neighbours among them. `extras` count as words
 * do, but nothing else goes by them: what was typed where synonyms are found as well, and words that may be missing.
 */
export type Weighed = { words: (Part & { uses: number })[]; pairs: Part[]; lengths: Lengths; extras?: Part[] };

/** Where a page has ended, and all that the next one has to know of those before it: its bytes make a cursor. */
export type Position = {
  /** The last listing, and the value it was sorted by as PostgreSQL writes it; null where it has none. */
  id: string;
  key: string | null;
  /** Whether it stood among the promoted ones, which come first. */
  featured: boolean;
  /** In `relevance`: its rank, and the last of those that are ranked by their text. */
  rank?: { tier: number; score: string; cut: string; cutId: string };
  /** What is looked for in place of `q`, where that is something else: tsqueries, and what the order goes by. */
  query?: string;
  wide?: string;
  onlySome?: boolean;
  weighed?: Weighed;
  /** Orders `random`. */
  seed?: string;
  /**
   * As of when promotions and ages count, so that no listing changes its place from page to page. Absent where no promoted
   * listing came first: none does on later pages then, and the same page has the same bytes tomorrow.
   */
  at?: string;
  /** How many listings the pages so far had, of how many. */
  seen: number;
  total: number;
};
