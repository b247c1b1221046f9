/** The parameters of one search, all of them in the search itself: common ones would overrule them. */
export type SearchParameters = Record<string, string | number | boolean>;

/** Typesense cannot answer this query; PostgreSQL has to. */
export class UnsupportedQuery extends Error {}
