/** What the search knows of the words of a language; phrases are written as people write them, in any case. */
export type LocaleWords = {
  /** Phrases that mean the same: who looks for one of them finds the others. */
  same: readonly (readonly string[])[];
  /** Who looks for the first phrase finds the others as well, but not the other way round. */
  oneWay: readonly (readonly [string, ...string[]])[];
  /** Words without a meaning of their own, in any of the seven languages: a listing need not have them to be found. */
  stop: readonly string[];
  /** Words between the name of a thing and what else is told of it: "dress with belt". */
  prepositions: readonly string[];
  /** Those of them before what a thing is for: "case for a phone". */
  purposes: readonly string[];
};
