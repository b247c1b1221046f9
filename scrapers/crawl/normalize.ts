import { deriveCountry, UNKNOWN_COUNTRY } from '../../shared/ingest/places.ts';
import type { IngestRecord, RawRecord } from '../../shared/normalize/record-type.ts';
import type { CrawlSpec } from './spec.ts';
import { normalizeRecord } from '../../shared/normalize/record.ts';

/** A raw record in the form that ingest takes, or why no listing can be made of it. */
export type Normalize = (raw: RawRecord) => { record: IngestRecord } | { reason: string };

/** Normalises the records of one site: its host, its category and the country of its ending settle what pages leave open. */
export function createNormalize(
  { site, category_id: categoryId }: Pick<CrawlSpec, 'site' | 'category_id'>,
  now: () => Date,
): Normalize {
  const country = deriveCountry({ site });
  const known = {
    site,
    categoryId: categoryId ?? undefined,
    country: country === UNKNOWN_COUNTRY ? undefined : country,
  };
  return (raw) => normalizeRecord(raw, { ...known, now: now() });
}
