import { z } from 'zod';

/** Inputs that several tools share: an id from another answer. */
export const id = z.string().min(1).max(120);
export const listingId = z.string().min(1).max(120).describe('Id or slug.');
export const page = z.number().int().min(1).max(1_000).default(1);
export const limit = z.number().int().min(1).max(20).default(10);
export const condition = z.enum(['new', 'like_new', 'good', 'fair', 'poor', 'refurbished']);
export const currency = z
  .string()
  .regex(/^[A-Z]{3}$/)
  .describe('ISO 4217: EUR');
export const country = z
  .string()
  .regex(/^[A-Z]{2}$/)
  .describe('ISO 3166: ES');
export const date = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}$/)
  .describe('YYYY-MM-DD');

export const photos = z
  .array(z.url({ protocol: /^https?$/ }).max(2_048))
  .max(10)
  .describe('URLs, the best first; POST /api/upload makes one of a file.');

/** Filters of a search, as the API has them. */
export const searchFilters = z.object({
  q: z.string().max(200).optional().describe('Words: make, model, anything.'),
  category: z.string().max(500).optional().describe('Ids from list_categories, comma separated.'),
  min_price: z.number().min(0).max(1e12).optional(),
  max_price: z.number().min(0).max(1e12).optional(),
  currency: currency.optional(),
  condition: z.array(condition).min(1).max(6).optional(),
  country: country.optional(),
  city: z.string().min(1).max(100).optional(),
  near: z.string().max(60).optional().describe('lat,lng; with radius_km.'),
  radius_km: z.number().min(0).max(20_000).optional(),
  type: z.enum(['sale', 'wanted']).optional(),
  attributes: z
    .record(z.string().max(100), z.union([z.string().max(200), z.number(), z.boolean()]))
    .optional()
    .describe('By category_attributes: {"brand": "bavaria", "min_year": 2005, "max_length": 12}.'),
});

/** The query of the API for filters of a search. */
export function toSearchQuery({ attributes, ...filters }: z.output<typeof searchFilters>): Record<string, unknown> {
  return {
    ...Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined)),
    ...(attributes && { attr: toTexts(attributes) }),
  };
}

/** Attribute filters as texts, as a query has them. */
export const toTexts = (attributes: Record<string, string | number | boolean>): Record<string, string> =>
  Object.fromEntries(Object.entries(attributes).map(([key, value]) => [key, String(value)]));
