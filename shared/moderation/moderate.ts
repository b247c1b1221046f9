import { measureLinks, measurePhones } from './contacts.ts';
import { findForbiddenTerms, type TermLists } from './find-terms.ts';
import { capitals, hasSentence, isGibberish, isRepetitive } from './readability.ts';

export type ModeratedText = {
  title: string;
  description: string;
  price?: { amount: number };
  /** The category id. */
  category?: string;
  tags?: readonly string[];
};

export type ModerationReason = {
  code:
    | 'blocked_term'
    | 'prohibited_goods'
    | 'link_spam'
    | 'phone_spam'
    | 'shouting'
    | 'gibberish'
    | 'placeholder_price'
    | 'ai_moderation'
    | 'scam_check';
  message: string;
};

export type Moderation = {
  verdict: 'accept' | 'review' | 'reject';
  reasons: ModerationReason[];
  /** When it was judged, where that is kept (ISO 8601, UTC). */
  judged_at?: string;
};

/** What a marketplace adds to the rules: its own phrases, and the categories of works that may carry any word as their title. */
export type ModerationRules = TermLists & { works: readonly string[] };

type Finding = { verdict: 'review' | 'reject'; reason: ModerationReason };

/** What is read of a description: no listing is longer, scraped ones are cut later. */
const MAX_READ_LENGTH = 20_000;
const SHOUTING_SHARE = 0.85;
const SHOUTING_LETTERS = 25;
const SHOUTING_WORDS = 4;
const SHOUTING_MARKS = 3;
const MARKS_PER_WORD = 0.25;
const FEW_FACTS = 2;

/**
 * Judges a listing by rules alone: reject names what must change before it can be published, review what a person should look
 * at, accept has no reasons. The verdict is the hardest of its reasons.
 */
export function moderate(text: ModeratedText, rules?: ModerationRules): Moderation {
  const description = text.description.slice(0, MAX_READ_LENGTH);
  const all = [text.title, description, ...(text.tags ?? [])].join('\n');
  const findings = [
    ...judgeTerms(all, text.category, rules),
    ...judgeLinks(text.title, all),
    ...judgePhones(text.title, all),
    ...judgeShouting(text.title, description),
    ...judgeReadability(text.title, description),
    ...judgePrice(text.price),
  ];
  const verdict = findings.some((finding) => finding.verdict === 'reject')
    ? 'reject'
    : findings.length > 0
      ? 'review'
      : 'accept';
  return { verdict, reasons: findings.map(({ reason }) => reason) };
}

/** The reasons in words, each a sentence of its own. */
export function tellReasons(reasons: readonly ModerationReason[]): string {
  return [...new Set(reasons.map(({ message }) => message))].join(' ');
}

function finding(verdict: Finding['verdict'], code: ModerationReason['code'], message: string): Finding {
  return { verdict, reason: { code, message } };
}

function judgeTerms(all: string, category: string | undefined, rules: ModerationRules | undefined): Finding[] {
  const isWork = category !== undefined && rules?.works.includes(category);
  const seen = new Set<string>();
  return findForbiddenTerms(all, rules).flatMap(({ code, verdict, text }) => {
    if (seen.has(text)) return [];
    seen.add(text);
    const what = code === 'blocked_term' ? 'A term that is not allowed here' : 'Goods that may not be offered here';
    return [finding(isWork ? 'review' : verdict, code, `${what}: "${text}".`)];
  });
}

function judgeLinks(title: string, all: string): Finding[] {
  const { different, sites, total, share } = measureLinks(all);
  // Some pages of one shop tell what the thing is.
  const highestShare = sites >= 3 ? 0.25 : 0.5;
  if (different >= 6 || (different >= 3 && share > highestShare) || total >= 12)
    return [finding('reject', 'link_spam', 'The text is full of web addresses.')];
  if (
    different >= 4 ||
    (different >= 3 && share > 0.25) ||
    (share > 0.5 && different > 0) ||
    measureLinks(title).total > 0
  )
    return [finding('review', 'link_spam', 'The text holds more web addresses than an ad needs.')];
  return [];
}

function judgePhones(title: string, all: string): Finding[] {
  const { different, total, share } = measurePhones(all);
  if (different >= 5 || (different >= 3 && share > 0.2) || total >= 8)
    return [finding('reject', 'phone_spam', 'The text is full of telephone numbers.')];
  if (different >= 4 || (share > 0.4 && different > 0) || measurePhones(title).total > 0)
    return [finding('review', 'phone_spam', 'The text holds more telephone numbers than an ad needs.')];
  return [];
}

/**
 * Capitals are a matter of style in an ad full of facts; with exclamation marks or without a single figure they shout. It is
 * refused only if the title shouts too and hardly anything is said besides.
 */
function judgeShouting(title: string, description: string): Finding[] {
  const { share, letters, words } = capitals(description);
  const text = `${title}\n${description}`;
  const marks = text.match(/[!！]/g)?.length ?? 0;
  const figures = text.match(/\d+/g)?.length ?? 0;
  if (share < SHOUTING_SHARE || letters < SHOUTING_LETTERS || words < SHOUTING_WORDS) return [];
  if (marks < SHOUTING_MARKS && figures > 0) return [];
  const isEmpty = figures <= FEW_FACTS || marks > text.split(/\s+/).length * MARKS_PER_WORD;
  const isShouted =
    capitals(title).share >= SHOUTING_SHARE && isEmpty && (marks >= SHOUTING_MARKS || hasSentence(description));
  return [finding(isShouted ? 'reject' : 'review', 'shouting', 'The text is written in capitals.')];
}

function judgeReadability(title: string, description: string): Finding[] {
  if (isGibberish(`${title}\n${description}`))
    return [finding('reject', 'gibberish', 'The text does not read as language.')];
  if (isGibberish(title) || isGibberish(description))
    return [finding('review', 'gibberish', 'A part of the text does not read as language.')];
  if (isRepetitive(title) || isRepetitive(description))
    return [finding('review', 'gibberish', 'The text repeats one word or letter.')];
  return [];
}

/** 123456 and 9999999 stand for "I have not decided"; 99 and 1111 are prices. */
function judgePrice(price: { amount: number } | undefined): Finding[] {
  const digits = String(price?.amount ?? '');
  const isPlaceholder = /^(?:12345\d*|(\d)\1{5,})$/.test(digits) && !/^0+$/.test(digits);
  return isPlaceholder ? [finding('review', 'placeholder_price', 'The price looks like a placeholder.')] : [];
}
