import type { AverageLengths } from './document-frequencies.ts';

/** A tsquery as text, and its weight. */
export type WeightedTsquery = { query: string; weight: number };

/** The head noun of a query, and all of its words, each as a regular expression for the word in singular and plural. */
export type QueryHead = { last: string; any: string };

/**
 * The weights of a query's terms: its words (`uses`: their document frequency) and the pairs of adjacent words. `extras` add to the
 * score alone: the word as typed beside its synonyms, and optional words. `head` is undefined for a query without a noun.
 */
export type TermWeights = {
  words: (WeightedTsquery & { uses: number })[];
  pairs: WeightedTsquery[];
  lengths: AverageLengths;
  extras?: WeightedTsquery[];
  head?: QueryHead | undefined;
};

/** A keyset position: where a page has ended, and the query and the seed that the next page goes on with. Cursors carry it as JSON. */
export type Position = {
  /** The last listing, and its sort key as PostgreSQL writes it; null where it has none. */
  id: string;
  key: string | null;
  /** Whether it stood among the promoted ones, which come first. */
  featured: boolean;
  /** In `relevance`: its tier and score, the last listing that is reranked, and the category that raises a score. */
  rank?: { tier: number; score: string; cut: string; cutId: string; favoured?: string | undefined };
  /** The TextQuery in place of `q`, see textQueryAt. */
  query?: string;
  wide?: string;
  onlySome?: boolean;
  weighed?: TermWeights;
  /** Whose order goes on by number: the other engine goes on behind as many listings of its own order. */
  engine?: 'typesense';
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
