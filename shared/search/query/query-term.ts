/**
 * A term of a query: as typed, and its tsquery with synonyms. `typedOnly` is the tsquery without them, `uses` its document
 * frequency. An optional term ranks but is not required.
 */
export type QueryTerm = { typed: string; query: string; typedOnly?: string; uses?: number; isOptional?: boolean };
