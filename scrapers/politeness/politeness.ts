import type { GuardedFetch } from '../../shared/adapters/fetch.ts';
import { DAY_MS } from '../../shared/kit/clock.ts';
import type { Pace } from './pace.ts';
import { createRobots, RobotsUnreadable, type RobotsFetch, type RobotsRules, type RobotsStore } from './robots.ts';

export type Sleep = (milliseconds: number, signal: AbortSignal) => Promise<void>;

/** The politeness policy of a crawl: what may be asked for, and when. */
export type Politeness = {
  /**
   * Sends a request when robots.txt allows it, the host's next slot has come and it has a permit to spare; answers why it was
   * not sent else. What `send` throws is thrown.
   */
  request<T>(url: string, signal: AbortSignal, send: () => Promise<T>): Promise<{ answer: T } | Refusal>;
  /** True when robots.txt lets us ask for a part of a page; slots are about pages, not about their parts. */
  allows(url: string, signal: AbortSignal): Promise<boolean>;
  /** Milliseconds between two requests to the URL's host. Throws RobotsUnreadable. */
  intervalAt(url: string, signal: AbortSignal): Promise<number>;
  /** Leaves the URL's host alone for so long. */
  backOff(url: string, milliseconds: number): Promise<void>;
};

/** Why a page could not be had. */
export type Failure = {
  kind: 'failed';
  message: string;
  /** Whether the same request may succeed later. */
  retry: boolean;
  /** How long the site wants to be left alone. */
  restMs?: number;
  /** The site refuses this visitor, or its proxy fails: the next try is another session's. */
  blocked?: boolean;
  /** The whole crawl is pointless now. */
  fatal?: boolean;
};

/** Why a request was not sent. */
export type Refusal = { kind: 'skipped'; reason: 'robots'; message: string } | Failure;

type PolitenessOptions = {
  fetch: Pick<GuardedFetch, 'fetch'>;
  /** Undefined when the scraper does not respect robots.txt. */
  robots: RobotsStore | undefined;
  pace: Pace;
  /** Between two requests to a host; a longer Crawl-delay wins. */
  intervalMs: number;
  now: () => number;
  sleep: Sleep;
};

/** A slot further away than this is not waited for. */
const MAX_WAIT_MS = 900_000;
/** A slot that a busy machine misses by more than this is lost: what follows may be another crawl's. */
const MAX_LATE_MS = 1_000;
/** What stays of the interval between two requests of one crawl, however late the first one was. */
const MIN_DISTANCE = 0.9;
/** Pause before the next slot is reserved at a host that has no permit to spare. */
const CROWDED_PAUSE_MS = 250;

/** Thrown instead of waiting for a slot that is too far away. */
class SlotTooFar extends Error {}

/** Obeys robots.txt with its Crawl-delay, and spreads the requests to a host evenly; robots.txt itself is such a request. */
export function createPoliteness({
  fetch,
  robots: store,
  pace,
  intervalMs,
  now,
  sleep,
}: PolitenessOptions): Politeness {
  const sentAt = new Map<string, number>();
  const robots = store && createRobots(fetchRobots, store);

  async function fetchRobots(...[url, options]: Parameters<RobotsFetch>): ReturnType<RobotsFetch> {
    const { host } = new URL(url);
    const response = await inSlot(host, intervalMs, options.signal, () => fetch.fetch(url, options));
    const wishMs = response.status >= 400 ? retryAfterMs(response.headers['retry-after'], now()) : undefined;
    if (wishMs !== undefined) await pace.backOff(host, wishMs);
    return response;
  }

  async function rulesFor(url: string, signal: AbortSignal): Promise<RobotsRules | undefined> {
    return robots?.rulesFor(url, signal);
  }

  const intervalOf = (rules: RobotsRules | undefined) => Math.max(intervalMs, rules?.crawlDelayMs ?? 0);

  async function inSlot<T>(host: string, pauseMs: number, signal: AbortSignal, send: () => Promise<T>): Promise<T> {
    for (;;) {
      const waitMs = await pace.reserveSlot(host, pauseMs, 1);
      if (waitMs > Math.max(MAX_WAIT_MS, 2 * pauseMs)) throw new SlotTooFar(tooFar(waitMs));
      const slotAt = now() + waitMs;
      if (waitMs > 0) await sleep(waitMs, signal);
      const permit = await pace.acquire(host);
      const isMissed = now() - slotAt > MAX_LATE_MS;
      if (permit !== undefined && isMissed) await pace.release(host, permit);
      if (isMissed) continue;
      if (permit !== undefined) {
        try {
          await keepDistance(host, pauseMs, signal);
          return await send();
        } finally {
          await pace.release(host, permit);
        }
      }
      // The slot is lost: what goes out once there is room has to keep its distance too.
      await sleep(CROWDED_PAUSE_MS, signal);
    }
  }

  /** A process that was held up does not send at once what it has missed: what goes out late moves what comes after it. */
  async function keepDistance(host: string, pauseMs: number, signal: AbortSignal): Promise<void> {
    for (;;) {
      const sinceMs = now() - (sentAt.get(host) ?? -Infinity);
      const earlyMs = MIN_DISTANCE * pauseMs - sinceMs;
      // Time that runs backwards was set; it says nothing.
      if (earlyMs < 1 || sinceMs < 0) break;
      await sleep(earlyMs, signal);
    }
    sentAt.set(host, now());
  }

  return {
    async request(url, signal, send) {
      try {
        const rules = await rulesFor(url, signal);
        if (rules?.allows(url) === false)
          return { kind: 'skipped', reason: 'robots', message: 'robots.txt does not allow this page.' };
        return { answer: await inSlot(new URL(url).host, intervalOf(rules), signal, send) };
      } catch (error) {
        if (error instanceof RobotsUnreadable) return failure(error.message, { retry: error.retryable });
        if (error instanceof SlotTooFar) return failure(error.message, { retry: false, fatal: true });
        throw error;
      }
    },
    async allows(url, signal) {
      try {
        return (await rulesFor(url, signal))?.allows(url) !== false;
      } catch (error) {
        if (error instanceof RobotsUnreadable || error instanceof SlotTooFar) return false;
        throw error;
      }
    },
    intervalAt: async (url, signal) => intervalOf(await rulesFor(url, signal)),
    backOff: (url, milliseconds) => pace.backOff(new URL(url).host, milliseconds),
  };
}

const failure = (message: string, { retry, fatal }: Pick<Failure, 'retry' | 'fatal'>): Failure => ({
  ...{ kind: 'failed', message, retry },
  ...(fatal && { fatal }),
});

const tooFar = (waitMs: number) => `The site wants to be left alone for another ${Math.ceil(waitMs / 60_000)} minutes.`;

/** `Retry-After` in milliseconds, a day at most, whether it counts seconds or names a time; undefined when it says neither. */
export function retryAfterMs(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  const waitMs = /^\s*\d+\s*$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - now;
  return Number.isNaN(waitMs) ? undefined : Math.min(DAY_MS, Math.max(0, waitMs));
}
