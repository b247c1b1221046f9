import type { Page } from 'playwright';
import type { BrowserSettings } from '../load/browser-launch.ts';
import type { TargetKind } from './frontier.ts';
import type { Target } from './spec.ts';

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
 * What works through the pages: a pool of our own for pages that only have to be fetched, Crawlee's browser pool for those that
 * need a browser. What goes over the wire is the visit's business either way.
 */
export async function createEngine({ concurrency, browser, visit }: EngineOptions): Promise<Engine> {
  return browser ? createBrowserEngine(concurrency, browser, visit) : createPool(concurrency, visit);
}

/**
 * Pages side by side, first come first served; one to be tried again goes to the end. A visit that fails otherwise ends the
 * run. (A page that waits in p-queue holds 1.1 KB beside its address: 110 MB at 100,000 pages.)
 */
function createPool(concurrency: number, visit: EngineOptions['visit']): Engine {
  const waiting: { target: Target; attempt: number }[] = [];
  let next = 0;
  let running = 0;
  let isStopped = false;
  let settle: { resolve: () => void; reject: (error: unknown) => void } | undefined;

  function step(): void {
    while (!isStopped && running < concurrency && next < waiting.length) {
      const { target, attempt } = waiting[next]!;
      next += 1;
      running += 1;
      void work(target, attempt);
    }
    // What was worked is let go now and then, not page by page.
    if (next > 1_000 && next * 2 > waiting.length) {
      waiting.splice(0, next);
      next = 0;
    }
    if (running === 0 && (isStopped || next >= waiting.length)) settle?.resolve();
  }

  async function work(target: Target, attempt: number): Promise<void> {
    try {
      await visit(target, attempt, undefined);
    } catch (error) {
      if (error instanceof VisitAgain && attempt < MAX_RETRIES) waiting.push({ target, attempt: attempt + 1 });
      else if (!(error instanceof VisitAgain)) settle?.reject(error);
    }
    running -= 1;
    step();
  }

  const push = (targets: Target[]) => waiting.push(...targets.map((target) => ({ target, attempt: 0 })));
  return {
    run: (targets) =>
      new Promise((resolve, reject) => {
        settle = { resolve, reject };
        push(targets);
        step();
      }),
    async add(targets) {
      push(targets);
      step();
    },
    stop() {
      isStopped = true;
      step();
    },
  };
}

/** A Crawlee crawler with a queue of its own in memory: it schedules, retries and pools browser pages. */
async function createBrowserEngine(
  concurrency: number,
  browser: BrowserSettings,
  visit: EngineOptions['visit'],
): Promise<Engine> {
  const { Configuration, Log, LogLevel } = await import('@crawlee/cheerio');
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
  const { createBrowserCrawler } = await import('./browser-crawler.ts');
  const crawler = await createBrowserCrawler(browser, options, configuration, handle);
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
const requestOf = ({ key, url, kind, lastmod }: Target) => ({
  url,
  uniqueKey: key,
  userData: { kind, lastmod },
  skipNavigation: true,
});

const targetOf = ({ uniqueKey, url, userData }: Job): Target => ({
  key: uniqueKey,
  url,
  kind: userData['kind'] as TargetKind,
  ...(typeof userData['lastmod'] === 'number' && { lastmod: userData['lastmod'] }),
});
