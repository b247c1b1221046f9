import { deriveCountry, UNKNOWN_COUNTRY } from '../ingest/places.ts';
import { normalizeRecord } from '../normalize/record.ts';
import type { IngestRecord, RawRecord } from '../normalize/record-type.ts';

/** A raw record in the form that ingest takes, or why no listing can be made of it. */
export type Normalize = (raw: RawRecord) => { record: IngestRecord } | { reason: string };

/** Normalises the records of one site: its host, its category and the country of its ending settle what pages leave open. */
export function createNormalize(
  { site, category_id: categoryId }: { site: string; category_id: string | null },
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
