import { z } from 'zod';
import { readingRules } from './reading-rules.ts';

const share = z.number().min(0).max(1);

/** A field as it is read on the pages of a site: on what share of them, how surely, from what source, and samples. */
const learnedField = z.object({
  name: z.string(),
  filled: share,
  confidence: share,
  source: z.string(),
  samples: z.array(z.object({ url: z.string(), value: z.string() })),
});

export type LearnedField = z.infer<typeof learnedField>;

/** What a page turned out to be. */
const pageRole = z.enum(['list', 'thing', 'other', 'unreadable']);

export type PageRole = z.infer<typeof pageRole>;

/** What is proposed for a site: a scraper as it can be saved, and what it rests on. */
export const siteProposal = z.object({
  scraper: readingRules.extend({ name: z.string() }),
  links: z.object({ confidence: share, examples: z.array(z.string()), looked_at: z.int(), records: z.int() }),
  pagination: z.object({ confidence: share, examples: z.array(z.string()) }),
  category: z.object({ confidence: share }),
  fields: z.array(learnedField),
  pages: z.array(z.object({ url: z.string(), role: pageRole })),
  notes: z.array(z.string()),
});

export type SiteProposal = z.infer<typeof siteProposal>;

/** One part of a saved page as it is shown: nothing in it can run. */
export const outlineBlock = z.object({
  kind: z.enum(['heading', 'text', 'link', 'image']),
  text: z.string(),
  url: z.string().optional(),
});

export type OutlineBlock = z.infer<typeof outlineBlock>;
