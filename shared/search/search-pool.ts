import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';

/** How many listings there are, how long they are, and which of their words are common. */
export type Corpus = {
  listings: number;
  lengths: { title: number; text: number };
  common: Map<string, number>;
};

/** A phrase to look for besides: a tsquery as text, and those of its words. */
export type Phrase = { query: string; words: readonly string[] };
/** Where these words stand in a row, the other phrases are looked for as well. */
export type SynonymRule = { words: readonly string[]; others: readonly Phrase[] };

/** What a process caches of the words of its database. */
type WordCaches = {
  /** In how many listings words are, for a minute. */
  uses: LRUCache<string, number>;
  corpus: LRUCache<'active', Promise<Corpus>>;
  /** For as long as the process lives; undefined until they are read. */
  synonyms: Promise<Map<string, SynonymRule[]>> | undefined;
  /** The words of makers' names, in lower case: they are spelt right though no listing has them. */
  makers: () => ReadonlySet<string>;
};

/** A pool of connections with what is cached of the words of its database: made once at start, and handed down together. */
export type SearchPool = Pool & { readonly words: WordCaches };

const MAX_WORDS = 20_000;
const MINUTE_MS = 60_000;

/** Gives a pool its caches. */
export function addWordCaches(pool: Pool, makers: () => ReadonlySet<string> = () => new Set()): SearchPool {
  const words: WordCaches = {
    uses: new LRUCache({ max: MAX_WORDS, ttl: MINUTE_MS }),
    corpus: new LRUCache({ max: 1, ttl: MINUTE_MS }),
    synonyms: undefined,
    makers,
  };
  return Object.assign(pool, { words });
}
