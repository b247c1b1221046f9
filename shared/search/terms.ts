import { findForbiddenTerms } from '../moderation/find-terms.ts';
import { measureLinks } from '../moderation/contacts.ts';

/** How many days a search counts for suggestions. */
export const TERM_DAYS = 30;
/** After so many days a search counts half as much in the order of suggestions. */
export const TERM_HALF_LIFE_DAYS = 10;
/** A search is suggested from so many times on. */
export const MIN_SEARCHES = 3;
const MIN_LENGTH = 2;
const MAX_LENGTH = 100;

/** Seven digits, however grouped, may be somebody's telephone, card or account number. */
const NUMBER = /\d(?:[\s().+/-]*\d){6,}/;
/** The syntax of web searches, which no reader would have suggested. */
const SYNTAX = /["“”]|(?:^|\s)-/u;
const UNPRINTABLE = /\p{C}/u;

/**
 * The search as it is counted: in small letters, with single spaces. Undefined for what is not kept: anything that may be an
 * e-mail address, a telephone number or a web address, and what no reader would be helped by.
 */
export function normalizeTerm(q: string): string | undefined {
  const term = q.normalize('NFC').trim().replaceAll(/\s+/g, ' ').toLowerCase();
  const { length } = [...term];
  if (length < MIN_LENGTH || length > MAX_LENGTH) return undefined;
  if (term.includes('@') || NUMBER.test(term) || SYNTAX.test(term) || UNPRINTABLE.test(term)) return undefined;
  return measureLinks(term).total > 0 ? undefined : term;
}

/** Whether a search may be shown to other readers: none that moderation would refuse or look at in a listing. */
export const isFitToSuggest = (term: string) => findForbiddenTerms(term).length === 0;
