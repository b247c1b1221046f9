import type { Config } from '../shared/config.ts';
import type { IngestRecord } from '../shared/ingest/record.ts';
import type { ScraperSettings } from '../shared/scrapers/settings.ts';
import type { CrawlState } from './crawl-frontier.ts';

/** One crawl: a scraper's settings, and how far an earlier process came with it. */
export type CrawlSpec = Pick<
  ScraperSettings,
  | 'site'
  | 'kind'
  | 'start_urls'
  | 'link_pattern'
  | 'pagination_pattern'
  | 'extract'
  | 'category_id'
  | 'max_pages'
  | 'requests_per_minute'
  | 'respect_robots'
> & {
  resume?: CrawlState;
  /** Looks at known pages again: a record has the address its page was asked for by, and a page without one says why. */
  knownPagesOnly?: boolean;
};

/** What the crawler may know of the service around it. */
export type CrawlSettings = {
  profile: 'nautical' | 'general';
  fetchAllow: string[];
  chromiumPath: string | undefined;
  userAgent: string;
  /** Pause before a failed page is asked for again; doubles with every try. */
  retryDelayMs: number;
  /** A crawl that lasts longer ends, with what it has. */
  timeLimitMs: number;
  /** A page that takes longer to read is skipped, with its reason. */
  pageTimeLimitMs: number;
};

/** What an earlier crawl of the scraper has seen on a page that held one record. */
export type KnownPage = {
  /** Key of the record's URL. */
  record: string;
  etag?: string;
  lastModified?: string;
  /** When it was read, in milliseconds. */
  readAt: number;
  /** The pages it led to. */
  links: string[];
};

/** A page that held one record, as it is now. */
export type ReadPage = Omit<KnownPage, 'readAt'> & { page: string; scrapedAt: string };

/** News of a crawl since the last ones. */
export type CrawlNews = {
  /** Named as in a run; `records_unusable` were found, but nothing can be made of them. */
  counts: Partial<
    Record<'pages_fetched' | 'pages_skipped' | 'pages_gone' | 'pages_failed' | 'records_unusable', number>
  >;
  records: IngestRecord[];
  errors: { url?: string; message: string }[];
  /** Pages that answered 404 or 410. */
  gone: string[];
  /** Pages of one record each that were read, for the next crawl to know. */
  pages: ReadPage[];
  /** Keys of records whose pages say that they have not changed, asked for (`verified`) or in the site's own list (`listed`). */
  verified: string[];
  listed: string[];
  /** How far the crawl is, with these news and all before; now and then, and in the last news. */
  state?: CrawlState;
};

/** How a crawl ended: it read all it may, it cannot go on, or it was told to stop. */
export type CrawlEnd = { outcome: 'finished' } | { outcome: 'failed'; reason: string } | { outcome: 'stopped' };

/** Pause before a failed page is asked for again; doubles with every try. */
const RETRY_DELAY_MS = 1_000;
/** The largest page there may be (10 MB) takes some two seconds; a busy machine may make it ten times as much. */
const PAGE_TIME_LIMIT_MS = 20_000;

/** What a crawl of the service may know of it. */
export const crawlSettings = (config: Config, { timeLimitMs }: Pick<CrawlSettings, 'timeLimitMs'>): CrawlSettings => ({
  profile: config.profile,
  fetchAllow: config.fetchAllow,
  chromiumPath: config.chromiumPath,
  userAgent: userAgentOf(config.baseUrl, config.crawlerContact),
  retryDelayMs: RETRY_DELAY_MS,
  timeLimitMs,
  pageTimeLimitMs: PAGE_TIME_LIMIT_MS,
});

/** The User-Agent of every request: the name to use in robots.txt, where to find who runs us, and how to reach them. */
export const userAgentOf = (baseUrl: string, contact?: string): string =>
  `QuaysideBot/1.0 (+${baseUrl}${contact === undefined ? '' : `; ${contact}`})`;
