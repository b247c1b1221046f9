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
> & { resume?: CrawlState };

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
};

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
  /** How far the crawl is, with these news and all before; now and then, and in the last news. */
  state?: CrawlState;
};

/** How a crawl ended: it read all it may, it cannot go on, or it was told to stop. */
export type CrawlEnd = { outcome: 'finished' } | { outcome: 'failed'; reason: string } | { outcome: 'stopped' };

/** The User-Agent of every request: the name to use in robots.txt, and where to find who runs us. */
export const userAgentOf = (baseUrl: string): string => `QuaysideBot/1.0 (+${baseUrl})`;
