import type { Failure, Loaded } from './http-loaded.ts';
import type { Pace } from './rate.ts';
import { RobotsUnreadable, type Robots } from './robots.ts';

export type Sleep = (milliseconds: number, signal: AbortSignal) => Promise<void>;

/** The manners of a crawl: who may be asked, and when. */
export type Admission = {
  /** Waits for our turn at the page's host; answers undefined then, or why the page is not asked for. */
  admit(url: string, signal: AbortSignal): Promise<Exclude<Loaded, { kind: 'page' }> | undefined>;
  /** True when robots.txt lets us ask for what a page needs; turns are about pages, not about their parts. */
  allows(url: string, signal: AbortSignal): Promise<boolean>;
  /** Does something at the page's host as one of the few visitors there at the same time, all processes together. */
  visit<T>(url: string, signal: AbortSignal, work: () => Promise<T>): Promise<T>;
  /** Leaves the page's host alone for so long. */
  rest(url: string, milliseconds: number): Promise<void>;
};

type Manners = {
  /** Undefined when the scraper does not respect robots.txt. */
  robots: Robots | undefined;
  pace: Pace;
  /** Between two requests to a host; a longer Crawl-delay wins. */
  intervalMs: number;
  sleep: Sleep;
};

/** A turn further away than this is not waited for. */
const LONGEST_WAIT_MS = 900_000;
const CROWDED_PAUSE_MS = 250;

/** Obeys robots.txt with its Crawl-delay, and spreads the requests to a host evenly. */
export function createAdmission({ robots, pace, intervalMs, sleep }: Manners): Admission {
  return {
    async admit(url, signal) {
      let pauseMs = intervalMs;
      if (robots) {
        try {
          const rules = await robots.rulesFor(url, signal);
          if (!rules.allows(url))
            return { kind: 'skipped', reason: 'robots', message: 'robots.txt does not allow this page.' };
          pauseMs = Math.max(intervalMs, rules.crawlDelayMs ?? 0);
        } catch (error) {
          if (error instanceof RobotsUnreadable)
            return { kind: 'failed', message: error.message, retry: error.retryable };
          throw error;
        }
      }
      const waitMs = await pace.takeTurn(new URL(url).host, pauseMs);
      if (waitMs > Math.max(LONGEST_WAIT_MS, 2 * pauseMs)) return tooLong(waitMs);
      if (waitMs > 0) await sleep(waitMs, signal);
      return undefined;
    },
    async allows(url, signal) {
      return robots === undefined || (await robots.rulesFor(url, signal)).allows(url);
    },
    async visit(url, signal, work) {
      const { host } = new URL(url);
      let visit = await pace.enter(host);
      while (visit === undefined) {
        await sleep(CROWDED_PAUSE_MS, signal);
        visit = await pace.enter(host);
      }
      try {
        return await work();
      } finally {
        await pace.leave(host, visit);
      }
    },
    rest: (url, milliseconds) => pace.rest(new URL(url).host, milliseconds),
  };
}

function tooLong(waitMs: number): Failure {
  return {
    kind: 'failed',
    message: `The site wants to be left alone for another ${Math.ceil(waitMs / 60_000)} minutes.`,
    retry: false,
    fatal: true,
  };
}
