/**
 * A word looked for: as it was typed, and a tsquery for it, as text. Where that finds synonyms as well, `alone` finds what was
 * typed, and about so many listings use them. One that is `optional` counts in the order, but listings need not have it.
 */
export type QueryTerm = { typed: string; query: string; typedOnly?: string; uses?: number; isOptional?: boolean };
