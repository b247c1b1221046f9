import { z } from 'zod';
import type { Config } from '../../shared/kit/config.ts';
import type { Deadlines } from '../../shared/kit/deadlines.ts';
import type { IngestRecord } from '../../shared/normalize/record-type.ts';
import { readingRules } from '../../shared/scrapers/reading-rules.ts';

const target = z.object({
  key: z.string(),
  url: z.string(),
  /** Why a page is visited: it holds a record, it only leads to others, it is a sitemap, or that is to be seen. */
  kind: z.enum(['record', 'list', 'any', 'sitemap']),
  /** Since when it is as it is, as a sitemap says. */
  lastmod: z.number().optional(),
});

/** A page to visit. */
export type Target = z.infer<typeof target>;

const keys = z.array(z.string());

/** The request queue of a crawl: the keys of pages dealt with are those that used its budget, and those that did not. */
const queueRows = z.object({ pending: z.array(target), visited: keys, skipped: keys });
export type QueueRows = z.infer<typeof queueRows>;

/** What has changed in it. */
const queueChanges = z.object({ queued: z.array(target), visited: keys, skipped: keys });
export type QueueChanges = z.infer<typeof queueChanges>;

export const crawlSpec = readingRules.extend({
  max_pages: z.int().positive(),
  requests_per_minute: z.number().positive(),
  respect_robots: z.boolean(),
  /** Instead of those of the service; credentials and all. */
  proxy_urls: z.array(z.string()).nullish(),
  /** The request queue as an earlier process left it. */
  resume: queueRows.optional(),
  /** Looks at known pages again: a record has the address its page was asked for by, and a page without one says why. */
  knownPagesOnly: z.boolean().optional(),
});

/** One crawl: a scraper's settings, and how far an earlier process came with it. */
export type CrawlSpec = z.infer<typeof crawlSpec>;

export const crawlSettings = z.object({
  fetchAllow: z.array(z.string()),
  chromiumPath: z.string().optional(),
  proxyUrls: z.array(z.string()),
  userAgent: z.string(),
  /** Pause before a failed page is asked for again; doubles with every try. */
  retryDelayMs: z.number().min(0),
  /** A crawl that lasts longer ends, with what it has. */
  timeLimitMs: z.number().positive(),
  /** A page that takes longer to read is skipped, with its reason. */
  pageTimeLimitMs: z.number().positive(),
  deadlines: z.custom<Deadlines>().optional(),
});

/** What the crawler may know of the service around it. */
export type CrawlSettings = z.infer<typeof crawlSettings>;

const pageAsRead = z.object({
  /** Key of the record's URL. */
  record: z.string(),
  etag: z.string().optional(),
  lastModified: z.string().optional(),
  /** The pages it led to. */
  links: z.array(z.string()),
});

/** With when it was read, in milliseconds. */
export const knownPage = pageAsRead.extend({ readAt: z.number() });

/** What an earlier crawl of the scraper has seen on a page that held one record. */
export type KnownPage = z.infer<typeof knownPage>;

const readPage = pageAsRead.extend({ page: z.string(), scrapedAt: z.string() });

/** A page that held one record, as it is now. */
export type ReadPage = z.infer<typeof readPage>;

/** A record is an object with a URL here: the rules of its fields are those of ingestion, which refuses records one by one. */
const isRecord = (value: unknown) => z.looseObject({ url: z.string() }).safeParse(value).success;

export const crawlNews = z.object({
  /** Named as in a run; `records_unusable` were found, but nothing can be made of them. */
  counts: z.partialRecord(
    z.enum(['pages_fetched', 'pages_skipped', 'pages_gone', 'pages_failed', 'records_unusable']),
    z.int().min(0),
  ),
  records: z.array(z.custom<IngestRecord>(isRecord, 'Invalid input: expected a record')),
  errors: z.array(z.object({ url: z.string().optional(), message: z.string() })),
  /** Pages that answered 404 or 410. */
  gone: z.array(z.string()),
  /** Pages of one record each that were read, for the next crawl to know. */
  pages: z.array(readPage),
  /** Keys of records whose pages say that they have not changed, asked for (`verified`) or in the site's own list (`listed`). */
  verified: z.array(z.string()),
  listed: z.array(z.string()),
  /** What these news change in the request queue: stored together, they let a crawl go on exactly where a process was lost. */
  queue: queueChanges,
});

/** News of a crawl since the last ones. */
export type CrawlNews = z.infer<typeof crawlNews>;

export const crawlEnd = z.discriminatedUnion('outcome', [
  z.object({ outcome: z.literal('finished') }),
  z.object({ outcome: z.literal('failed'), reason: z.string() }),
  z.object({ outcome: z.literal('stopped') }),
]);

/** How a crawl ended: it read all it may, it cannot go on, or it was told to stop. */
export type CrawlEnd = z.infer<typeof crawlEnd>;

/** Pause before a failed page is asked for again; doubles with every try. */
const RETRY_DELAY_MS = 1_000;

/** What a crawl of the service may know of it. */
export const crawlSettingsOf = (
  config: Config,
  { timeLimitMs }: Pick<CrawlSettings, 'timeLimitMs'>,
): CrawlSettings => ({
  fetchAllow: config.fetchAllow,
  chromiumPath: config.chromiumPath,
  proxyUrls: config.crawlProxyUrls,
  userAgent: userAgentOf(config.baseUrl, config.crawlerContact),
  retryDelayMs: RETRY_DELAY_MS,
  timeLimitMs,
  pageTimeLimitMs: config.deadlines.pageReading,
  deadlines: config.deadlines,
});

/** How a crawl fetches. The proxies of the service may be on a private network, those of a scraper as far as FETCH_ALLOW goes. */
export const fetchSettingsOf = ({ fetchAllow, userAgent, proxyUrls, deadlines }: CrawlSettings) => ({
  allow: fetchAllow,
  userAgent,
  deadlines,
  proxyAllow: [...fetchAllow, ...proxyUrls.map((url) => new URL(url).hostname)],
});

/** The User-Agent of every request: the name to use in robots.txt, where to find who runs us, and how to reach them. */
export const userAgentOf = (baseUrl: string, contact?: string): string =>
  `QuaysideBot/1.0 (+${baseUrl}${contact === undefined ? '' : `; ${contact}`})`;
