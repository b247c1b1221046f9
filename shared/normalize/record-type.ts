import { z } from 'zod';

/** What an extractor read on one page, as it stood there: texts, not yet normalised. Every field may be missing. */
export type RawRecord = {
  /** Absolute URL of the page (the canonical one when the page names it). */
  url: string;
  title?: string;
  description?: string;
  /** The price as printed, or the amount of the structured data. */
  price?: string;
  /** ISO 4217 code or the symbol as printed. */
  currency?: string;
  sku?: string;
  brand?: string;
  model?: string;
  gtin?: string;
  /** schema.org ItemAvailability without its prefix, such as `InStock`. */
  availability?: string;
  condition?: string;
  /** Names from the root to the leaf, as the breadcrumbs read. */
  breadcrumbs?: string[];
  category?: string;
  images?: { url: string; alt?: string }[];
  location?: {
    country?: string;
    region?: string;
    city?: string;
    postalCode?: string;
    lat?: number;
    lng?: number;
    text?: string;
  };
  /** Labelled facts as printed: `Length` -> `10.95 m`. */
  properties?: Record<string, string>;
  language?: string;
  /** Which evidence each field came from, in the order of trust: `jsonld`, `microdata`, `rdfa`, `opengraph`, `selector`, `page`, `state`, `guessed` (an article number that the page neither labels nor confirms); `contradicted` for a stock that the page prints against its markup. */
  evidence?: Record<string, string>;
};

const text = (max: number) => z.string().max(max);

/** One record of `POST /api/ingest`: what a scraper or an agent sends. Field rules are openapi.yaml's IngestRecord. */
export const ingestRecord = z.object({
  url: z.url({ protocol: /^https?$/ }).max(2048),
  title: text(2_000).optional(),
  description: text(100_000).optional(),
  long_description: text(200_000).optional(),
  category_id: text(100).optional(),
  category_hint: text(500).optional(),
  condition: z.enum(['new', 'like_new', 'good', 'fair', 'poor', 'refurbished']).optional(),
  type: z.enum(['sale', 'wanted']).optional(),
  price: z
    .object({
      amount: z.number().min(0).max(1e12),
      currency: z.string().length(3),
      negotiable: z.boolean().optional(),
      vat_included: z.boolean().optional(),
      vat_rate: z.number().min(0).max(100).optional(),
    })
    .optional(),
  location: z
    .object({
      country: text(100).optional(),
      city: text(200).optional(),
      postal_code: text(20).optional(),
      shipping: z.boolean().optional(),
      lat: z.number().min(-90).max(90).optional(),
      lng: z.number().min(-180).max(180).optional(),
      country_name: text(100).optional(),
      region: text(200).optional(),
      marina: text(200).optional(),
    })
    .optional(),
  images: z
    .array(z.union([z.url().max(2048), z.object({ url: z.url().max(2048), alt: text(300).optional() })]))
    .max(100)
    .optional(),
  attributes: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string()), z.null()]))
    .optional(),
  boat: z.record(z.string(), z.unknown()).optional(),
  tags: z.array(text(50)).max(50).optional(),
  language: z.string().length(2).optional(),
  site: text(253).optional(),
  scraped_at: z.iso.datetime({ offset: true }).optional(),
  raw_record: z.record(z.string(), z.unknown()).optional(),
});

export type IngestRecord = z.infer<typeof ingestRecord>;
