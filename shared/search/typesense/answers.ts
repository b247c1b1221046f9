import { TypesenseError } from './client.ts';
import type { SortFields } from './keyset.ts';

export type FacetAnswer = {
  field_name: string;
  counts: { value: string; count: number }[];
  stats?: { min?: number; max?: number };
};

type Highlight = { snippet?: string; value?: string };

export type Hit = {
  document: SortFields & { id: string; version: number };
  highlight?: Record<string, Highlight | Highlight[] | undefined>;
  text_match_info?: { num_tokens_dropped?: number };
};

/** One search's part of an answer. */
export type Answer<Found = Hit> = { found: number; hits: Found[]; facet_counts: FacetAnswer[] };

/** The answer to one of several searches; a TypesenseError where it was refused or is not whole. */
export function readSearchAnswer<Found>(answer: unknown): Answer<Found> {
  const {
    found,
    hits,
    search_cutoff: isCut,
    code,
    error,
  } = (answer ?? {}) as Partial<Answer<Found>> & Record<string, unknown>;
  if (error !== undefined) throw new TypesenseError(Number(code) || 0, JSON.stringify(error).slice(0, 300));
  if (typeof found !== 'number' || !Array.isArray(hits) || isCut === true)
    throw new TypesenseError(0, 'the answer is not complete');
  return answer as Answer<Found>;
}
