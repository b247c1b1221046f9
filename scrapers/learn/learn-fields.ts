import type { RawRecord } from '../../shared/normalize/record-type.ts';
import type { LearnedField } from '../../shared/scrapers/proposal.ts';
import type { PageFacts } from './read-page-facts.ts';

const MAX_SAMPLES = 5;
const MAX_SAMPLE_LENGTH = 300;
/** How far a source is trusted where nothing on other pages contradicts it: the order of trust of extraction. */
const TRUST: Record<string, number> = {
  jsonld: 0.97,
  microdata: 0.95,
  rdfa: 0.93,
  opengraph: 0.85,
  selector: 0.9,
  state: 0.8,
  page: 0.7,
  contradicted: 0.5,
};
const FIELDS = [
  ...(['title', 'price', 'currency', 'description', 'images', 'location', 'brand', 'model', 'sku'] as const),
  ...(['availability', 'condition', 'category', 'breadcrumbs', 'properties'] as const),
];

/** The value of one field of a record as an admin reads it; undefined when the record has none. */
export function readField(record: RawRecord, name: (typeof FIELDS)[number]): string | undefined {
  const value = record[name];
  if (value === undefined || value === '') return undefined;
  if (typeof value === 'string') return value;
  if (name === 'images') return record.images?.[0]?.url;
  if (name === 'breadcrumbs') return record.breadcrumbs?.join(' > ');
  return Object.values(value).filter(Boolean).join(', ') || undefined;
}

/**
 * What is read of each field on the pages of things: how many of them have it, where it comes from, samples, and how sure it
 * is: trust in its source, times the share of pages, halved where pages of different things all say the same.
 */
export function learnFields(things: readonly { page: Pick<PageFacts, 'url'>; record: RawRecord }[]): LearnedField[] {
  return FIELDS.flatMap((name): LearnedField[] => {
    const found = things.flatMap(({ page, record }) => {
      const value = readField(record, name);
      return value === undefined ? [] : [{ url: page.url, value, source: record.evidence?.[name] ?? 'page' }];
    });
    if (found.length === 0) return [];
    const filled = found.length / things.length;
    const trust = found.reduce((sum, { source }) => sum + (TRUST[source] ?? 0.7), 0) / found.length;
    const isSame = found.length >= 3 && new Set(found.map(({ value }) => value)).size === 1;
    const mayRepeat = ['currency', 'availability', 'condition', 'category', 'breadcrumbs', 'location'].includes(name);
    const certainty = trust * filled * (isSame && !mayRepeat ? 0.5 : 1);
    return [
      {
        name,
        filled: round(filled),
        confidence: round(certainty),
        source: mostOften(found.map(({ source }) => source)),
        samples: found
          .slice(0, MAX_SAMPLES)
          .map(({ url, value }) => ({ url, value: value.slice(0, MAX_SAMPLE_LENGTH) })),
      },
    ];
  });
}

export function mostOften(values: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].toSorted((a, b) => b[1] - a[1])[0]?.[0] ?? '';
}

export const round = (share: number): number => Math.round(share * 100) / 100;
