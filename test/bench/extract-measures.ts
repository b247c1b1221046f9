import { normalizePrice } from '../../shared/normalize/price.ts';
import type { RawRecord } from '../../shared/normalize/record-type.ts';
import { isOut } from './extract-corpora.ts';
import type { SavedPage, Truth } from './extract-corpora.ts';

export const FIELDS = ['price', 'currency', 'sku', 'availability', 'brand'] as const;
/** A field that is scored. */
export type Field = (typeof FIELDS)[number];
/** What was answered, by field. */
export type Answers = Partial<Record<Field, string>>;
/** One page with what an extractor answered; undefined where it gave no record of the page's own. */
export type Outcome = { page: SavedPage; answers: Answers | undefined };
/** Ratios 0-1; `right` of `given` of `wanted`. */
export type Score = { precision: number; recall: number; f1: number };

const AS_PRINTED: Record<string, string[]> = {
  $: ['USD', 'CAD', 'AUD', 'NZD', 'CLP', 'MXN', 'SGD', 'HKD'],
  '€': ['EUR'],
  '£': ['GBP'],
  '₹': ['INR'],
  'ر.س': ['SAR'],
  Lei: ['RON'],
  zł: ['PLN'],
};

/** The one record of a page as its fields are scored; a list gives none. */
export function answersOf(records: RawRecord[]): Answers | undefined {
  const [record, ...others] = records;
  if (!record || others.length > 0) return undefined;
  const price = record.price === undefined ? undefined : normalizePrice(record.price, { currency: record.currency });
  const { availability } = record;
  return {
    price: price && price.amount > 0 ? String(price.amount) : undefined,
    currency: price && price.amount > 0 ? price.currency : undefined,
    sku: record.sku,
    availability: availability === undefined ? undefined : isOut(availability) ? 'OutOfStock' : 'InStock',
    brand: record.brand,
  };
}

/** Precision, recall and F1 of a field as means over domains: a domain of many pages weighs as much as one of a single page. */
export function scoreField(field: Field, outcomes: Outcome[]): Score {
  const known = outcomes.filter(({ page }) => page.truth[field] !== undefined);
  const sizes = new Map<string, number>();
  for (const { page } of known) sizes.set(page.domain, (sizes.get(page.domain) ?? 0) + 1);
  let [right, given, wanted] = [0, 0, 0];
  for (const { page, answers } of known) {
    const weight = 1 / (sizes.get(page.domain) ?? 1);
    if ((page.truth[field]?.length ?? 0) > 0) wanted += weight;
    const answer = answers?.[field];
    if (answer === undefined) continue;
    given += weight;
    if (isRight(field, answer, page.truth)) right += weight;
  }
  const precision = given === 0 ? 0 : right / given;
  const recall = wanted === 0 ? 0 : right / wanted;
  return { precision, recall, f1: right === 0 ? 0 : (2 * precision * recall) / (precision + recall) };
}

/** Whether an answer is one of the accepted values. */
export function isRight(field: Field, answer: string, truth: Truth): boolean {
  return (truth[field] ?? []).some((value) => {
    if (field === 'price') return Math.abs(Number(answer) - Number(value)) < 0.005;
    if (field === 'currency') return answer === value || (AS_PRINTED[value]?.includes(answer) ?? false);
    return field === 'brand' ? answer.toLowerCase() === value.toLowerCase() : answer === value;
  });
}

/** The share of the pages of one thing that give a record, as a mean over domains. */
export function recordRate(outcomes: Outcome[]): number {
  const items = outcomes.filter(({ page }) => page.isItem);
  const rates = [...Map.groupBy(items, ({ page }) => page.domain).values()].map(
    (group) => group.filter(({ answers }) => answers !== undefined).length / group.length,
  );
  return rates.reduce((sum, rate) => sum + rate, 0) / rates.length;
}
