import type { Page } from 'playwright';
import type { BrowserSettings } from './browser-launch.ts';
import type { Target, TargetKind } from './crawl-frontier.ts';

/** How often a page is asked for again after the first time. */
export const MAX_RETRIES = 3;

/** Thrown by a visit that wants to be tried again. */
export class VisitAgain extends Error {}

type EngineOptions = {
  concurrency: number;
  /** Present for pages that need JavaScript. */
  browser: BrowserSettings | undefined;
  visit: (target: Target, attempt: number, page: Page | undefined) => Promise<void>;
};

/** Works through pages side by side until none is left; visits may add more. */
export type Engine = { run(targets: Target[]): Promise<void>; add(targets: Target[]): Promise<void>; stop(): void };

type Job = { url: string; uniqueKey: string; retryCount: number; userData: Record<string, unknown> };

/**
 * A Crawlee crawler with a queue of its own in memory. It schedules, retries and (for the browser) pools pages; what goes
 * over the wire is the visit's business, because Crawlee's own clients neither bound a body nor guard an address.
 */
export async function createEngine({ concurrency, browser, visit }: EngineOptions): Promise<Engine> {
  const { BasicCrawler, Configuration, Log, LogLevel } = await import('@crawlee/cheerio');
  const { MemoryStorage } = await import('@crawlee/memory-storage');
  const configuration = new Configuration({
    persistStorage: false,
    storageClient: new MemoryStorage({ persistStorage: false, writeMetadata: false }),
    // Measuring the machine starts a `ps` each time; concurrency is fixed here, so there is nothing to measure for.
    systemInfoIntervalMillis: 3_600_000,
    persistStateIntervalMillis: 3_600_000,
  });
  const options = {
    minConcurrency: concurrency,
    maxConcurrency: concurrency,
    maxRequestRetries: MAX_RETRIES,
    // Turns are waited for within a visit, and a site may ask for minutes between two pages; pages have their own limit.
    requestHandlerTimeoutSecs: 7_200,
    useSessionPool: false,
    statusMessageLoggingInterval: 3_600,
    statisticsOptions: { logIntervalSecs: 3_600 },
    log: new Log({ level: LogLevel.OFF }),
  };
  const handle = (request: Job, page: Page | undefined) => visit(targetOf(request), request.retryCount, page);
  const crawler = browser
    ? await (await import('./browser-crawler.ts')).createBrowserCrawler(browser, options, configuration, handle)
    : new BasicCrawler({ ...options, requestHandler: ({ request }) => handle(request, undefined) }, configuration);
  return {
    async run(targets) {
      await crawler.run(targets.map(requestOf));
    },
    async add(targets) {
      if (targets.length > 0) await crawler.addRequests(targets.map(requestOf), { waitForAllRequestsToBeAdded: true });
    },
    stop: () => crawler.stop(),
  };
}

/** Navigation is ours too: a browser page is opened for the visit, and the visit goes to the address. */
const requestOf = ({ key, url, kind }: Target) => ({ url, uniqueKey: key, userData: { kind }, skipNavigation: true });

const targetOf = ({ uniqueKey, url, userData }: Job): Target => ({
  key: uniqueKey,
  url,
  kind: userData['kind'] as TargetKind,
});
