import { addMilliseconds } from '../kit/clock.ts';
import { LISTING_LIFE_MS } from '../listings/create.ts';

/** A status transition of a listing by its page; null leaves a column as it is. */
export type StatusTransition = {
  status: string | null;
  expires_at: Date | null;
  /** The status that a withdrawn listing comes back to; null for one that is not withdrawn. */
  withdrawn_from: string | null;
};

const shown = new Set(['active', 'paused']);
const goneTerms = new Set(['soldout', 'sold', 'discontinued']);
const outTerms = new Set([...goneTerms, 'outofstock']);

/** The evidence that is structured markup of the page; a raw record that names none tells it in a field of its own. */
const markup = new Set(['jsonld', 'microdata', 'rdfa', 'opengraph']);

/** What a raw record says of the stock, and which evidence of the page that comes from. */
export type StockStatement = { availability: unknown; evidence: unknown };

/** Reads from a raw record what it says of the stock. */
export function readStockStatement({ availability, evidence }: Record<string, unknown>): StockStatement {
  const sources = typeof evidence === 'object' && evidence !== null ? (evidence as Record<string, unknown>) : {};
  return { availability, evidence: sources['availability'] };
}

/** True when a page says for good that its thing is sold: no listing begins with it. */
export const saysSold = (raw: Record<string, unknown>): boolean => goneTerms.has(termOf(raw));

/**
 * How a page says that its thing is gone: markup is a proof, print alone a claim that a second visit has to confirm;
 * contradicted evidence says nothing.
 */
export function goneEvidence({ availability, evidence }: StockStatement): 'proof' | 'claim' | undefined {
  if (!outTerms.has(termOf({ availability })) || evidence === 'contradicted') return undefined;
  return typeof evidence !== 'string' || markup.has(evidence) ? 'proof' : 'claim';
}

function termOf({ availability }: Record<string, unknown>): string {
  if (typeof availability !== 'string') return '';
  return (/(?<![a-z ])[a-z ]+$/i.exec(availability.trim())?.[0] ?? '').replaceAll(' ', '').toLowerCase();
}

/** The transition of a listing whose page is gone: what is public expires, a draft waits. */
export function withdrawListing(status: string, now: Date, withdrawnFrom: string | null): StatusTransition {
  if (shown.has(status)) return { status: 'expired', expires_at: now, withdrawn_from: status };
  return { status: null, expires_at: null, withdrawn_from: status === 'draft' ? status : withdrawnFrom };
}

/** The transition of a listing whose page is there again: its earlier status, for 30 days. */
export function restoreListing(status: string, now: Date, withdrawnFrom: string | null): StatusTransition {
  if (status !== 'expired') return { status: null, expires_at: null, withdrawn_from: null };
  const back = withdrawnFrom !== null && shown.has(withdrawnFrom) ? withdrawnFrom : 'active';
  return { status: back, expires_at: addMilliseconds(now, LISTING_LIFE_MS), withdrawn_from: null };
}
