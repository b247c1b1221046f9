import { z } from 'zod';

/** Inputs that several tools share. */
export const listingId = z.string().min(1).max(120).describe('Id or slug of a listing.');
export const page = z.number().int().min(1).max(1_000).default(1);
export const limit = z.number().int().min(1).max(20).default(10);
export const condition = z.enum(['new', 'like_new', 'good', 'fair', 'poor', 'refurbished']);
export const currency = z
  .string()
  .regex(/^[A-Z]{3}$/)
  .describe('ISO 4217 code, e.g. EUR.');
export const country = z
  .string()
  .regex(/^[A-Z]{2}$/)
  .describe('ISO 3166-1 alpha-2 code, e.g. ES.');
export const date = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}$/)
  .describe('YYYY-MM-DD.');

/** Filters of a search, as the API has them. */
export const searchFilters = z.object({
  q: z.string().max(200).optional().describe('Words: make, model, place, anything.'),
  category: z.string().max(500).optional().describe('Category ids, comma separated (list_categories).'),
  min_price: z.number().min(0).max(1e12).optional(),
  max_price: z.number().min(0).max(1e12).optional(),
  currency: currency.optional(),
  condition: z.array(condition).min(1).max(6).optional(),
  country: country.optional(),
  city: z.string().min(1).max(100).optional(),
  near: z.string().max(60).optional().describe('lat,lng in degrees; with radius_km.'),
  radius_km: z.number().min(0).max(20_000).optional(),
  type: z.enum(['sale', 'wanted']).optional(),
  attributes: z
    .record(z.string().max(100), z.union([z.string().max(200), z.number(), z.boolean()]))
    .optional()
    .describe('Filters by attribute (category_attributes): {"brand": "bavaria", "min_year": 2005, "max_length": 12}.'),
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
