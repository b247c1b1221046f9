import type { IngestRecord } from '../shared/normalize/record-type.ts';
import type { JobHandler } from '../shared/queues/runner.ts';
import { CrawlLost } from './crawl/process.ts';
import type { ParentRpc } from './crawl/protocol.ts';
import { crawlSettingsOf, type CrawlEnd, type CrawlSpec } from './crawl/spec.ts';
import { createSharedPace, createSharedRobots } from './politeness/pace-shared.ts';
import type { ScraperServices } from './services.ts';

const MAX_RECORDS = 50;

/**
 * Reads one page as a scraper would, as politely and with its settings of now, and answers what it finds there: nothing is ingested.
 * The result is that of the job: the records with the category that each would get, and why the page could not be read.
 */
export const tryPage: JobHandler<ScraperServices, 'try-page'> = async (
  services,
  { scraper_id: scraperId, url },
  { signal, log },
) => {
  const { db, pool, clock, catalog, config } = services;
  const scraper = await db.selectFrom('scrapers').selectAll().where('id', '=', scraperId).executeTakeFirst();
  if (!scraper) return { url, error: 'The scraper is gone.', records: [] };
  const spec = { ...scraper, start_urls: [url], max_pages: 1, resume: undefined } as unknown as CrawlSpec;
  const records: IngestRecord[] = [];
  const errors: string[] = [];
  const robots = createSharedRobots(pool, clock);
  const rpc: ParentRpc = {
    ...createSharedPace(pool, clock),
    readRobots: robots.read,
    writeRobots: robots.write,
    // Nothing is known of it: it is read whatever an earlier crawl has seen.
    readPages: async (pages) => pages.map(() => undefined),
    report: async (news) => {
      records.push(...news.records.slice(0, MAX_RECORDS - records.length));
      errors.push(...news.errors.map(({ message }) => message), ...news.gone.map(() => 'The page is gone.'));
    },
    log: async (level, message, data) => log[level](data, message),
  };
  const startedAt = performance.now();
  const settings = crawlSettingsOf(config, { timeLimitMs: config.deadlines.tryPage });
  const end = await services.crawl(spec, settings, rpc, { signal }).catch((error: unknown): CrawlEnd => {
    if (!(error instanceof CrawlLost)) throw error;
    return { outcome: 'failed', reason: error.message };
  });
  const reasons = [...errors, ...(end.outcome === 'failed' ? [end.reason] : [])];
  return {
    url,
    error: reasons.length > 0 ? reasons.join(' ') : null,
    duration_ms: Math.round(performance.now() - startedAt),
    records: records.map((record) => ({
      ...record,
      category: catalog.mapCategory({
        category_id: record.category_id,
        category_hint: record.category_hint,
        title: record.title ?? '',
      }).id,
    })),
  };
};
