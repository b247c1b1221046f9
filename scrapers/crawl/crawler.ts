import type { BasicCrawlingContext, Configuration, ProxyConfiguration } from '@crawlee/basic';
import type { PlaywrightCrawlerOptions } from '@crawlee/playwright';
import type { Page } from 'playwright';
import type { CrawlQueue } from './request-queue.ts';
import type { Target } from './spec.ts';
import { PageFailed, type SiteVisitor } from './visit.ts';
import { openBrowserOptions, type BrowserSettings } from '../load/browser-launch.ts';

/** How often a page is asked for again after the first time. */
const MAX_RETRIES = 3;
/** Slots are waited for within a visit, and a site may ask for minutes between two pages; pages have their own limit. */
const VISIT_TIMEOUT_SECONDS = 7_200;
/** What Crawlee does now and then for its own logs and files, of which there are none. */
const SELDOM_MS = 3_600_000;

type Context = Pick<BasicCrawlingContext, 'request' | 'session'> & { page?: Page };
type CrawlerOptions = {
  queue: CrawlQueue;
  visitor: SiteVisitor;
  /** Pages at once: at least, unless less is to be done, and at most, while the event loop keeps up. */
  concurrency: { min: number; max: number };
  /** Present for pages that need JavaScript. */
  browser: BrowserSettings | undefined;
  /** Sessions that are in use at the same time; each keeps its proxy until it is refused. */
  sessions: number;
  log: CrawlLog;
};

/** Takes a line for the log of a crawl. */
export type CrawlLog = (level: 'debug' | 'info', message: string, data: Record<string, unknown>) => Promise<void>;

/** Crawlee at work on the pages of one crawl, until none is left or it is stopped. */
export type Crawler = { run(): Promise<void>; stop(): void };

/** The proxies of a crawl, in turns; a session keeps its own. Undefined when there are none. */
export async function createProxies(proxyUrls: string[]): Promise<ProxyConfiguration | undefined> {
  if (proxyUrls.length === 0) return undefined;
  const { ProxyConfiguration } = await import('@crawlee/basic');
  return new ProxyConfiguration({ proxyUrls });
}

/**
 * A BasicCrawler, or a PlaywrightCrawler for pages that need a browser, over the request queue of the crawl: Crawlee schedules,
 * retries, scales, and keeps sessions and statistics; what goes over the wire is the visitor's business either way. Nothing is
 * written to disk. An Error when no browser is installed.
 */
export async function createCrawler(options: CrawlerOptions): Promise<Crawler> {
  const { queue, visitor, concurrency, browser, sessions } = options;
  const { BasicCrawler, RequestQueue } = await import('@crawlee/basic');
  const { configuration, log } = await configure(queue, options.log);
  const shared = {
    requestQueue: await RequestQueue.open(null, { config: configuration }),
    minConcurrency: concurrency.min,
    maxConcurrency: concurrency.max,
    autoscaledPoolOptions: { desiredConcurrency: concurrency.max },
    maxRequestRetries: MAX_RETRIES,
    requestHandlerTimeoutSecs: VISIT_TIMEOUT_SECONDS,
    sessionPoolOptions: { maxPoolSize: sessions },
    statusMessageLoggingInterval: SELDOM_MS / 1_000,
    statisticsOptions: { logIntervalSecs: SELDOM_MS / 1_000 },
    requestHandler: (context: Context) => handle(visitor, context),
    errorHandler: ({ request }: Context, error: Error) =>
      visitor.pause(targetOf(request), failed(error), request.retryCount),
    failedRequestHandler: ({ request }: Context, error: Error) => visitor.giveUp(targetOf(request), failed(error)),
    log,
  };
  const crawler = browser
    ? await createBrowserCrawler({ ...shared, ...(await openBrowserOptions(browser)) }, configuration)
    : new BasicCrawler(shared, configuration);
  return {
    async run() {
      const statistics = await crawler.run();
      await options.log('info', 'statistics of the crawler', { ...statistics });
    },
    stop: () => crawler.stop(),
  };
}

async function createBrowserCrawler(options: PlaywrightCrawlerOptions, configuration: Configuration) {
  const { PlaywrightCrawler } = await import('@crawlee/playwright');
  return new PlaywrightCrawler({ ...options, persistCookiesPerSession: false }, configuration);
}

/** The storage and the log of one crawler: in memory but for the request queue, and each line to `write`. */
async function configure(queue: CrawlQueue, write: CrawlLog) {
  const { Configuration, Log, Logger, LogLevel, log: globalLog } = await import('@crawlee/basic');
  const { MemoryStorage } = await import('@crawlee/memory-storage');
  class CrawlStorage extends MemoryStorage {
    override requestQueue = () => queue;
  }
  class LineLogger extends Logger {
    override _log(level: number, message: string, data?: object): void {
      // A page that fails is a warning to Crawlee; the run tells of it anyway.
      void write('debug', message, { ...data, crawlee: LogLevel[level] });
    }
  }
  const configuration = new Configuration({
    persistStorage: false,
    storageClient: new CrawlStorage({ persistStorage: false, writeMetadata: false }),
    // Measuring the machine starts a `ps` each time; how far behind the event loop is says enough.
    systemInfoIntervalMillis: SELDOM_MS,
    persistStateIntervalMillis: SELDOM_MS,
  });
  const logging = { level: LogLevel.WARNING, logger: new LineLogger({}) };
  globalLog.setOptions(logging);
  return { configuration, log: new Log(logging) };
}

async function handle(visitor: SiteVisitor, { request, session, page }: Context): Promise<void> {
  try {
    await visitor.visit(targetOf(request), { sessionId: session?.id, page });
  } catch (error) {
    const { retry, fatal, blocked } = failed(error).failure;
    request.noRetry = !retry || fatal === true;
    if (blocked) session?.retire();
    throw error;
  }
}

const targetOf = ({ userData }: Context['request']): Target => userData['target'] as Target;

/** The failure that a visit has thrown. What Crawlee throws itself is none of a page, and ends the crawl. */
function failed(error: unknown): PageFailed {
  if (error instanceof PageFailed) return error;
  throw error;
}
