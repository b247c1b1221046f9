import { createHash } from 'node:crypto';
import type { Catalog } from '../catalog/tree.ts';
import { countryNameIn } from '../kit/codes.ts';
import { detectLanguage } from '../kit/language.ts';
import { checkAttributes, type Attributes } from '../listings/attributes.ts';
import { completeAttributes, indexedFacts } from '../listings/rules.ts';
import { locate } from '../places/locate.ts';
import { defaultCurrencyOf, deriveCountry } from './places.ts';
import type { NamedImage } from '../listings/store-images.ts';
import type { IngestRecord } from '../normalize/record-type.ts';
import { fitTexts } from './texts.ts';

/** The columns of `listings` that a record decides; times and owner come with the write. */
export type MappedListing = {
  category_id: string;
  type: string;
  condition: string;
  title: string;
  description: string;
  long_description: string | null;
  price_amount: number;
  price_currency: string;
  price_negotiable: boolean;
  price_vat_included: boolean | null;
  price_vat_rate: number | null;
  country: string;
  country_name: string | null;
  region: string | null;
  city: string;
  marina: string | null;
  postal_code: string | null;
  lat: number | null;
  lng: number | null;
  /** Whether the coordinates are only those of the city. */
  geocoded: boolean;
  shipping: boolean;
  year: number | null;
  length_m: number | null;
  language: string;
  tags: string[];
  attributes: Attributes;
};

/** A record that can be stored. */
export type MappedRecord = {
  url: string;
  normalizedUrl: string;
  site: string;
  scrapedAt: Date;
  raw: Record<string, unknown>;
  /** Equal for records that say the same, whenever they were scraped. */
  hash: Buffer;
  listing: MappedListing;
  boat: Record<string, unknown> | undefined;
  /** Undefined when the record says nothing about images: those that are known stay. */
  images: NamedImage[] | undefined;
};

const MAX_TAGS = 10;
const MAX_PLACE_LENGTH = 100;
const MAX_RAW_FIELDS = 500;
const DEFAULT_LANGUAGE = 'en';

/**
 * The listing that a checked record makes, or the reason why it makes none. What is missing is derived: category from hint
 * and title, language from the text, attributes from the boat, country and currency from each other and from the site; a
 * missing price reads as "on request", a missing condition as good, a missing place as unknown (`ZZ`). Attributes that the
 * template of the category cannot hold stay as they were sent.
 */
export async function mapRecord(
  record: IngestRecord,
  normalizedUrl: string,
  { catalog, now }: { catalog: Catalog; now: Date },
): Promise<MappedRecord | { reason: string }> {
  const site = record.site?.trim().toLowerCase() || new URL(normalizedUrl).hostname;
  const { id: categoryId } = catalog.mapCategory({
    category_id: record.category_id,
    category_hint: record.category_hint,
    title: record.title ?? '',
  });
  const attributes = mapAttributes(record, categoryId, catalog);
  const facts = indexedFacts(attributes);
  const place = mapPlace(record, site);
  const texts = fitTexts(record, {
    brand: textOf(attributes['brand']),
    model: textOf(attributes['model']),
    year: facts.year ?? undefined,
    lengthM: facts.length_m ?? undefined,
    category: catalog.localizedName(categoryId, 'en'),
    place: `${place.city}, ${place.country}`,
  });
  if (!texts)
    return {
      reason: record.title?.trim()
        ? 'The title has fewer than 5 characters, and the record names no maker or model to complete it.'
        : 'The record has no title.',
    };
  const raw = record.raw_record ?? record;
  if (Object.keys(raw).length > MAX_RAW_FIELDS)
    return { reason: `The raw_record has more than ${MAX_RAW_FIELDS} fields.` };
  const { url, scraped_at: scrapedAt, raw_record: _, ...content } = record;
  return {
    url,
    normalizedUrl,
    site,
    scrapedAt: readAt(scrapedAt, now),
    raw,
    hash: createHash('sha256').update(canonicalJson(content)).digest(),
    boat: record.boat,
    images: record.images && mapImages(record.images),
    listing: {
      category_id: categoryId,
      type: record.type ?? 'sale',
      condition: record.condition ?? 'good',
      title: texts.title,
      description: texts.description,
      long_description: texts.longDescription,
      price_amount: record.price?.amount ?? 0,
      price_currency: record.price?.currency ?? defaultCurrencyOf(place.country),
      price_negotiable: record.price?.negotiable ?? false,
      price_vat_included: record.price?.vat_included ?? null,
      price_vat_rate: record.price?.vat_rate ?? null,
      ...place,
      ...facts,
      language:
        record.language ??
        (await detectLanguage(`${record.title ?? ''}. ${record.description ?? ''}`)) ??
        DEFAULT_LANGUAGE,
      tags: [...new Set((record.tags ?? []).map((tag) => tag.trim()).filter(Boolean))].slice(0, MAX_TAGS),
      attributes,
    },
  };
}

/** When a page was read: now when nobody says, or a clock is ahead. */
function readAt(scrapedAt: string | undefined, now: Date): Date {
  const at = scrapedAt === undefined ? now : new Date(scrapedAt);
  return at < now ? at : now;
}

function mapAttributes(record: IngestRecord, categoryId: string, catalog: Catalog): Attributes {
  const sent = completeAttributes(record.attributes, record.boat);
  return { ...sent, ...checkAttributes(sent, catalog.assetTypeOf(categoryId)).attributes };
}

function mapPlace({ location = {}, price }: IngestRecord, site: string) {
  const country = deriveCountry({ ...location, site, currency: price?.currency });
  const region = shorten(location.region);
  const named = shorten(location.city);
  const city = named ?? region ?? shorten(location.country_name) ?? countryNameIn(country, 'en') ?? 'Unknown';
  // What stands in for a missing city is no city to look up, even where one has the same name.
  const { lat, lng, postal_code } = location;
  const place = { country, city: named ?? location.marina ?? '', region, postal_code, lat, lng };
  return {
    country,
    country_name: shorten(location.country_name),
    region,
    city,
    marina: location.marina?.trim() || null,
    postal_code: location.postal_code?.trim() || null,
    ...locate(place),
    shipping: location.shipping ?? false,
  };
}

const shorten = (text: string | undefined) => [...(text?.trim() ?? '')].slice(0, MAX_PLACE_LENGTH).join('') || null;

/** Each address once, in the order of the record. */
function mapImages(images: NonNullable<IngestRecord['images']>): NamedImage[] {
  const byUrl = new Map<string, NamedImage>();
  for (const image of images) {
    const { url, alt } = typeof image === 'string' ? { url: image, alt: undefined } : image;
    if (!byUrl.has(url)) byUrl.set(url, { url, alt: alt?.trim() || null });
  }
  return [...byUrl.values()];
}

const textOf = (value: Attributes[string] | undefined) =>
  typeof value === 'string' && value.trim() !== ''
    ? value.trim()
    : typeof value === 'number'
      ? String(value)
      : undefined;

/** JSON whose keys are sorted at every level, so that equal content has equal text. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  );
}
