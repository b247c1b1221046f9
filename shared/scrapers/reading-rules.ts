import { z } from 'zod';
import type { Extract } from './settings.ts';

/** Which pages of a site a scraper visits, and how it reads them. */
export const readingRules = z.object({
  site: z.string(),
  kind: z.enum(['http', 'browser']),
  start_urls: z.array(z.string()),
  link_pattern: z.string().nullable(),
  pagination_pattern: z.string().nullable(),
  extract: z.object({
    mode: z.enum(['structured', 'selectors']),
    selectors: z.record(z.string(), z.string()).optional(),
  }) satisfies z.ZodType<Extract>,
  category_id: z.string().nullable(),
});
