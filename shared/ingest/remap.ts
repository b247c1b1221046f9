import type { Catalog } from '../catalog/tree.ts';
import type { CheckRecord } from './check-record.ts';
import { mappedColumnsOf, type StandingListing } from './diff.ts';
import { mapRecord, type MappedListing, type MappedRecord } from './map-record.ts';
import { deriveCountry, UNKNOWN_COUNTRY } from './places.ts';
import type { IngestRecord, RawRecord } from '../normalize/record-type.ts';

/** Where a listing came from, as it was stored. */
export type Origin = {
  url: string;
  normalized_url: string;
  site: string;
  raw_record: Record<string, unknown>;
  scraped_at: Date;
  /** The category of the scraper that found it. */
  category_id: string | null;
};

export type Remapped = { record: IngestRecord; mapped: MappedRecord };

/**
 * Maps a stored raw record with today's rules, as read on its page or as sent by an agent. Answers a reason when it is
 * neither.
 */
export async function remapRecord(
  origin: Origin,
  { check, catalog }: { check: CheckRecord; catalog: Catalog },
): Promise<Remapped | { reason: string }> {
  // It brings an HTML parser, which no process needs before its first record.
  const { normalizeRecord } = await import('../normalize/record.ts');
  const { raw_record: raw, url, site, scraped_at: scrapedAt } = origin;
  if (typeof raw['title'] !== 'string') return { reason: 'The raw record holds no title.' };
  const found = isAsRead(raw) ? normalizeRecord({ ...(raw as RawRecord), url }, contextOf(origin)) : { record: raw };
  if ('reason' in found) return { reason: `The raw record makes no listing: ${found.reason}.` };
  const { raw_record: _, ...content } = found.record;
  const checked = check({ ...content, url, site, scraped_at: scrapedAt.toISOString() }, '');
  if (!checked.ok) return { reason: `The raw record makes no listing. ${checked.failure.reason}` };
  const mapped = await mapRecord({ ...checked.record, raw_record: raw }, origin.normalized_url, {
    catalog,
    now: scrapedAt,
  });
  return 'reason' in mapped ? { reason: mapped.reason } : { record: checked.record, mapped };
}

/** Our own crawlers keep texts as they are printed, and where each was found; records of agents are in canonical form. */
function isAsRead(raw: Record<string, unknown>): boolean {
  return typeof raw['evidence'] === 'object' || typeof raw['price'] === 'string' || 'properties' in raw;
}

function contextOf({ site, scraped_at: now, category_id: categoryId }: Origin) {
  const country = deriveCountry({ site });
  return {
    site,
    now,
    categoryId: categoryId ?? undefined,
    country: country === UNKNOWN_COUNTRY ? undefined : country,
  };
}

/** The columns of a listing after a reimport: what its raw record does not tell stays as it is. */
export function columnsAfterReimport({ record, mapped }: Remapped, listing: StandingListing): MappedListing {
  const known = mappedColumnsOf(listing);
  const kept: Partial<MappedListing> = {};
  const keep = (told: unknown, names: (keyof MappedListing)[]) => {
    if (told === undefined) for (const name of names) Object.assign(kept, { [name]: known[name] });
  };
  keep(record.category_id ?? record.category_hint, ['category_id']);
  keep(record.description ?? record.long_description, ['description', 'long_description']);
  keep(record.condition, ['condition']);
  keep(record.type, ['type']);
  keep(record.language ?? record.description, ['language']);
  keep(record.tags, ['tags']);
  keep(record.price, ['price_amount', 'price_currency', 'price_negotiable', 'price_vat_included', 'price_vat_rate']);
  const hasPlace = record.location?.city ?? record.location?.region ?? record.location?.country ?? record.location?.lat;
  keep(hasPlace, [
    'country',
    'country_name',
    'region',
    'city',
    'marina',
    'postal_code',
    'shipping',
    'lat',
    'lng',
    'geocoded',
  ]);
  const attributes = { ...known.attributes, ...mapped.listing.attributes };
  const { year, length_m: lengthM } = mapped.listing;
  return {
    ...mapped.listing,
    ...kept,
    attributes,
    year: year ?? known.year,
    length_m: lengthM ?? known.length_m,
  };
}
