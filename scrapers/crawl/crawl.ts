import type { GuardedFetch } from '../../shared/adapters/fetch.ts';
import { createCrawler, createProxies, type CrawlLog, type Crawler } from './crawler.ts';
import { createFrontier } from './frontier.ts';
import type { PageContent } from './page-content.ts';
import type { Normalize } from '../../shared/scrapers/site-normalizer.ts';
import { createReporter } from './report.ts';
import { CrawlQueue } from './request-queue.ts';
import type { CrawlEnd, CrawlNews, CrawlSettings, CrawlSpec, KnownPage } from './spec.ts';
import { SiteVisitor, type VisitContext } from './visit.ts';
import { loadPage, type Loaded, type PageSource, type Validators } from '../load/http-page.ts';
import { loadSitemap } from '../load/sitemap.ts';
import { createPoliteness, type Politeness, type Sleep } from '../politeness/politeness.ts';
import { slotsPerLease } from '../politeness/pace-leased.ts';
import type { Pace } from '../politeness/pace.ts';
import type { RobotsStore } from '../politeness/robots.ts';

/** What a crawl works with. */
export type CrawlPorts = {
  fetch: GuardedFetch;
  pace: Pace;
  robots: RobotsStore;
  normalize: Normalize;
  /** Stores news; the crawl waits for it now and then, and fails when it fails. */
  report: (news: CrawlNews) => Promise<void>;
  /** What is known of a page that held one record; nothing when absent. */
  readPage?: (page: string, soon: () => readonly string[]) => Promise<KnownPage | undefined>;
  /** Reads what a page holds, within limits of time and memory; rejects with what to say of one that cannot be read. */
  readContent: (html: string, url: string) => Promise<PageContent>;
  log?: CrawlLog;
  now: () => number;
  sleep: Sleep;
};

const HTTP_PAGES_AT_ONCE = 8;
const BROWSER_PAGES_AT_ONCE = 2;
/** How far ahead of time slots at a host are reserved. */
const SLOTS_AHEAD_MS = 10_000;

/**
 * Crawls the site of one scraper and reports what it finds as it goes. It never throws for what a site does: a page that
 * fails is counted and noted, and a crawl that read no page at all, or met ten failures in a row, has failed with a reason.
 */
export async function crawl(
  spec: CrawlSpec,
  settings: CrawlSettings,
  ports: CrawlPorts,
  signal: AbortSignal,
): Promise<CrawlEnd> {
  const { pace, normalize, now, sleep } = ports;
  const frontier = createFrontier(spec, settings.deadlines?.pattern);
  const queue = new CrawlQueue(spec);
  const intervalMs = 60_000 / spec.requests_per_minute;
  const ending = new AbortController();
  const active = AbortSignal.any([signal, ending.signal]);
  let end: CrawlEnd | undefined;
  const finishWith = (how: CrawlEnd) => {
    end ??= how;
    ending.abort();
  };
  const failWith = (error: unknown) =>
    finishWith({ outcome: 'failed', reason: error instanceof Error ? error.message : String(error) });

  const proxyUrls = spec.proxy_urls ?? settings.proxyUrls;
  const fetchFor = await createFetches(ports.fetch, proxyUrls);
  const robots = spec.respect_robots ? ports.robots : undefined;
  const politeness = createPoliteness({ fetch: fetchFor(undefined), robots, pace, intervalMs, now, sleep });
  const sourceOf = ({ sessionId }: VisitContext): PageSource => ({
    ...{ fetch: fetchFor(sessionId), politeness, scope: frontier.scope, now, deadlines: settings.deadlines },
  });
  const reporter = createReporter(ports.report, queue, failWith);
  const visitor = new SiteVisitor({
    ...{ spec, settings, frontier, queue, reporter, politeness, normalize, finishWith, now, sleep, active },
    load: (url, context, known) => load(url, context, sourceOf(context), active, known),
    loadSitemap: (url, context) => loadSitemap(url, sourceOf(context), active),
    readPage:
      spec.kind === 'http' && ports.readPage
        ? (target) => ports.readPage?.(target.key, () => queue.following(target, slotsPerLease(intervalMs) - 1))
        : undefined,
    readContent: (html, url) => orAborted(ports.readContent(html, url), active),
  });
  let crawler: Crawler | undefined;
  try {
    queue.add(frontier.start());
    const max = await pagesAtOnce(spec, intervalMs, politeness, active);
    const browser =
      spec.kind === 'browser' ? { chromiumPath: settings.chromiumPath, userAgent: settings.userAgent } : undefined;
    const concurrency = { min: Math.ceil(max / 2), max };
    const sessions = Math.max(1, proxyUrls.length);
    const log = ports.log ?? (async () => undefined);
    crawler = await createCrawler({ queue, visitor, concurrency, browser, sessions, log });
    active.addEventListener('abort', () => crawler?.stop());
    if (!active.aborted) await crawler.run();
  } catch (error) {
    if (!signal.aborted) failWith(error);
  } finally {
    await reporter.stop();
  }
  return end ?? endOf(visitor, queue, signal);
}

/** A crawler that has left pages unvisited without a reason of ours was interrupted, as by Ctrl-C, which Crawlee obeys by itself. */
function endOf(visitor: SiteVisitor, queue: CrawlQueue, signal: AbortSignal): CrawlEnd {
  return signal.aborted || !queue.isExhausted() ? { outcome: 'stopped' } : visitor.end();
}

/** The fetch of each session: by its proxy, where there are any. */
async function createFetches(
  fetch: GuardedFetch,
  proxyUrls: string[],
): Promise<(sessionId: string | undefined) => GuardedFetch> {
  const proxies = await createProxies(proxyUrls);
  if (!proxies) return () => fetch;
  return (sessionId) => ({
    ...fetch,
    fetch: async (url, options) => fetch.fetch(url, { ...options, proxyUrl: await proxies.newUrl(sessionId) }),
  });
}

/** Settles as `work` does, or rejects as soon as the signal aborts. */
async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort);
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

async function load(
  url: string,
  { page }: VisitContext,
  source: PageSource,
  signal: AbortSignal,
  known: Validators | undefined,
): Promise<Loaded> {
  if (!page) return loadPage(url, source, signal, known);
  const { renderInBrowser } = await import('../load/browser-page.ts');
  return renderInBrowser(page, url, source, signal);
}

/** As many as the pace lets through in ten seconds: more would only wait, and hold slots that a cancelled crawl wastes. */
async function pagesAtOnce(
  spec: CrawlSpec,
  intervalMs: number,
  politeness: Politeness,
  signal: AbortSignal,
): Promise<number> {
  // A robots.txt that cannot be read is met again, and told of, by the first page.
  const pauseMs = await politeness.intervalAt(spec.start_urls[0] ?? '', signal).catch(() => intervalMs);
  const most = spec.kind === 'browser' ? BROWSER_PAGES_AT_ONCE : HTTP_PAGES_AT_ONCE;
  return Math.min(most, Math.max(1, Math.ceil(SLOTS_AHEAD_MS / pauseMs)));
}
