import type { IngestRecord } from '../normalize/record-type.ts';

/** The fields whose presence tells whether pages are still read as they were. */
export const watchedFields = ['title', 'price', 'description', 'images', 'place', 'facts'] as const;

export type WatchedField = (typeof watchedFields)[number];

/**
 * What a crawl has found: of `pages` known by an answer, `pages_missed` are gone or could not be read; `records` are all that
 * it saw, `read` those that were read from their page this time (others have not changed), and each field counts the read
 * ones that have it. `price_level` adds up 1,000 times the logarithm of each price.
 */
export type Findings = Record<'pages' | 'pages_missed' | 'records' | 'read' | 'price_level' | WatchedField, number>;

export const noFindings: Findings = {
  pages: 0,
  pages_missed: 0,
  records: 0,
  read: 0,
  title: 0,
  price: 0,
  description: 0,
  images: 0,
  place: 0,
  facts: 0,
  price_level: 0,
};

const MIN_DESCRIPTION_LENGTH = 20;

/** Counts the findings in some records. A title counts once per crawl, by `titles`. */
export function countFindings(records: readonly IngestRecord[], unchanged: number, titles: Set<string>): Findings {
  const findings = { ...noFindings, records: records.length + unchanged, read: records.length };
  for (const record of records) {
    const amount = record.price?.amount ?? 0;
    const { city, region, lat } = record.location ?? {};
    if (record.title !== undefined && !titles.has(record.title)) findings.title += 1;
    if (record.title !== undefined) titles.add(record.title);
    if (amount > 0) findings.price += 1;
    if (amount > 0) findings.price_level += Math.round(1_000 * Math.log(amount));
    if ((record.description?.length ?? 0) >= MIN_DESCRIPTION_LENGTH) findings.description += 1;
    if ((record.images?.length ?? 0) > 0) findings.images += 1;
    if (city !== undefined || region !== undefined || lat !== undefined) findings.place += 1;
    if (Object.keys(record.attributes ?? {}).length + Object.keys(record.boat ?? {}).length > 0) findings.facts += 1;
  }
  return findings;
}

/** The share of the records read that have each field, to the hundredth; undefined when none was read. */
export function fillRatesOf(stored: unknown): Record<WatchedField, number> | undefined {
  const findings = readFindings(stored);
  if (findings.read === 0) return undefined;
  const rates = watchedFields.map((field) => [field, Math.round((100 * findings[field]) / findings.read) / 100]);
  return Object.fromEntries(rates) as Record<WatchedField, number>;
}

/** Stored findings as numbers, whatever the row holds. */
export function readFindings(stored: unknown): Findings {
  const known = (stored ?? {}) as Partial<Record<string, unknown>>;
  const number = (name: string) => (typeof known[name] === 'number' ? known[name] : 0);
  return Object.fromEntries(Object.keys(noFindings).map((name) => [name, number(name)])) as Findings;
}
