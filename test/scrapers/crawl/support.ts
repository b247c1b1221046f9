import { createGuardedFetch } from '../../../shared/adapters/fetch.ts';
import type { IngestRecord } from '../../../shared/normalize/record-type.ts';
import { readPageContent } from '../../../scrapers/crawl/page-content.ts';
import { crawl, type CrawlPorts } from '../../../scrapers/crawl/crawl.ts';
import type {
  CrawlEnd,
  CrawlNews,
  CrawlSettings,
  CrawlSpec,
  QueueChanges,
  QueueRows,
} from '../../../scrapers/crawl/spec.ts';
import { createNormalize } from '../../../shared/scrapers/site-normalizer.ts';
import { createPace } from '../../../scrapers/politeness/pace.ts';

/** A clock that sleepers move: what would take minutes takes no time, and every pause is seen. */
export function createFakeTime() {
  let time = Date.UTC(2026, 0, 1);
  const pauses: number[] = [];
  return {
    pauses,
    now: () => time,
    sleep: async (milliseconds: number, signal: AbortSignal) => {
      signal.throwIfAborted();
      pauses.push(milliseconds);
      time += milliseconds;
    },
  };
}

export type Crawled = {
  end: CrawlEnd;
  records: IngestRecord[];
  counts: Record<string, number>;
  errors: CrawlNews['errors'];
  gone: string[];
  pages: CrawlNews['pages'];
  verified: string[];
  listed: string[];
  /** The request queue as a later process would find it. */
  queue: QueueRows;
};

type Options = {
  settings?: Partial<CrawlSettings>;
  ports?: Partial<CrawlPorts>;
  /** Private hosts that may be fetched; the site when absent. */
  allow?: string[];
  signal?: AbortSignal;
  time?: ReturnType<typeof createFakeTime>;
};

/** Crawls a site on loopback with a pace of its own; time passes only where the crawl pauses. */
export async function crawlSite(
  siteUrl: string,
  spec: Partial<CrawlSpec> = {},
  options: Options = {},
): Promise<Crawled> {
  const { host } = new URL(siteUrl);
  const time = options.time ?? createFakeTime();
  const crawled: Crawled = {
    end: { outcome: 'stopped' },
    records: [],
    counts: {},
    errors: [],
    gone: [],
    ...{ pages: [], verified: [], listed: [] },
    queue: { pending: [], visited: [], skipped: [] },
  };
  const robots = new Map<string, string>();
  const { allow = [host] } = options;
  const fetch = createGuardedFetch({ allow, userAgent: 'QuaysideBot/1.0 (+http://localhost)' });
  const ports: CrawlPorts = {
    fetch,
    pace: createPace(time.now),
    robots: { read: async (key) => robots.get(key), write: async (key, text) => void robots.set(key, text) },
    normalize: createNormalize({ site: '127.0.0.1', category_id: null, ...spec }, () => new Date(time.now())),
    report: async (news) => {
      crawled.records.push(...news.records);
      crawled.errors.push(...news.errors);
      crawled.gone.push(...news.gone);
      crawled.pages.push(...news.pages);
      crawled.verified.push(...news.verified);
      crawled.listed.push(...news.listed);
      for (const [name, n] of Object.entries(news.counts)) crawled.counts[name] = (crawled.counts[name] ?? 0) + n;
      applyChanges(crawled.queue, news.queue);
    },
    readContent: async (html, url) =>
      readPageContent(html, url, { site: whole.site, startUrls: whole.start_urls }, whole.extract),
    now: time.now,
    sleep: time.sleep,
    ...options.ports,
  };
  const whole: CrawlSpec = {
    site: '127.0.0.1',
    kind: 'http',
    start_urls: [`${siteUrl}/boats`],
    link_pattern: '/boats/[a-z0-9-]+$',
    pagination_pattern: null,
    extract: { mode: 'structured' },
    category_id: null,
    max_pages: 100,
    requests_per_minute: 6_000,
    respect_robots: true,
    ...spec,
  };
  const settings: CrawlSettings = {
    fetchAllow: allow,
    chromiumPath: undefined,
    proxyUrls: [],
    userAgent: 'QuaysideBot/1.0 (+http://localhost)',
    retryDelayMs: 1_000,
    timeLimitMs: 3_600_000,
    pageTimeLimitMs: 20_000,
    ...options.settings,
  };
  try {
    crawled.end = await crawl(whole, settings, ports, options.signal ?? new AbortController().signal);
  } finally {
    await fetch.close();
  }
  return crawled;
}

/** What storing the changes of a request queue does to its rows. */
export function applyChanges(rows: QueueRows, { queued, visited, skipped }: QueueChanges): void {
  const settled = new Set([...visited, ...skipped]);
  rows.pending = [...rows.pending, ...queued].filter(({ key }) => !settled.has(key));
  rows.visited.push(...visited);
  rows.skipped.push(...skipped);
}

/** A detail page with a schema.org product. */
export function boatPage(name: string, extra = '', image?: string): string {
  const product = {
    '@context': 'https://schema.org',
    '@type': 'Product',
    name,
    image,
    description: `${name}, a well kept cruising yacht with new sails, ready to go.`,
    offers: { '@type': 'Offer', price: '45000', priceCurrency: 'EUR', availability: 'https://schema.org/InStock' },
  };
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${name}</title>
    <script type="application/ld+json">${JSON.stringify(product)}</script></head><body><h1>${name}</h1>${extra}</body></html>`;
}

/** A page of links. */
export function listPage(links: readonly string[], next?: string): string {
  const items = links.map((link) => `<li><a href="${link}">a boat</a></li>`).join('');
  return `<!doctype html><html lang="en"><head><title>Boats</title></head><body><ul>${items}</ul>${next ? `<a rel="next" href="${next}">Next</a>` : ''}</body></html>`;
}
