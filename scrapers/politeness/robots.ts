import robotsModule from 'robots-parser';
import { FetchError } from '../../shared/adapters/fetch-guard.ts';
import type { FetchedResponse } from '../../shared/adapters/fetch.ts';
import { decodeHtml } from '../../shared/kit/html/charset.ts';

/** The name that site owners use for us in robots.txt. */
export const PRODUCT = 'QuaysideBot';

// The package's types promise a `default` that its CommonJS module does not have: what is imported is the function itself.
const robotsParser = robotsModule as unknown as typeof robotsModule.default;

const MAX_BYTES = 512_000;
const MAX_DELAY_MS = 3_600_000;

/** What a site asks of us. */
export type RobotsRules = {
  allows(url: string): boolean;
  /** The pause it wants between two requests, at most an hour. */
  crawlDelayMs: number | undefined;
};

/** Where the text of a host's robots.txt is kept between crawls. */
export type RobotsStore = {
  read(host: string): Promise<string | undefined>;
  write(host: string, text: string): Promise<void>;
};

/** A store that ends with this process. */
export function createRobotsMemory(): RobotsStore {
  const texts = new Map<string, string>();
  return { read: async (host) => texts.get(host), write: async (host, text) => void texts.set(host, text) };
}

/** How a robots.txt is fetched. */
export type RobotsFetch = (
  url: string,
  options: { signal: AbortSignal; maxBytes: number; deadline: 'robots' },
) => Promise<FetchedResponse>;

export type Robots = { rulesFor(url: string, signal: AbortSignal): Promise<RobotsRules> };

/** Thrown while a site's robots.txt cannot be read: until it can, everything counts as forbidden. */
export class RobotsUnreadable extends Error {
  readonly retryable: boolean;

  constructor(message: string, { retryable, cause }: { retryable: boolean; cause?: unknown }) {
    super(message, { cause });
    this.retryable = retryable;
  }
}

/**
 * The robots.txt of every site met, each fetched once and kept in the store. As RFC 9309 says, a site that has none (4xx)
 * allows everything, and one whose file cannot be reached (5xx, 429, no answer) allows nothing: RobotsUnreadable.
 */
export function createRobots(fetch: RobotsFetch, store: RobotsStore): Robots {
  const known = new Map<string, Promise<RobotsRules>>();

  async function load({ origin, host }: URL, signal: AbortSignal): Promise<RobotsRules> {
    const stored = await store.read(host);
    const text = stored ?? (await fetchRobots(fetch, `${origin}/robots.txt`, signal));
    if (stored === undefined) await store.write(host, text);
    return parseRobots(`${origin}/robots.txt`, text);
  }

  return {
    rulesFor(url, signal) {
      const parsed = new URL(url);
      const rules = known.get(parsed.origin) ?? load(parsed, signal);
      known.set(parsed.origin, rules);
      rules.catch(() => known.delete(parsed.origin));
      return rules;
    },
  };
}

/** Reads a robots.txt for us: our own group if there is one, else the one for everybody. */
export function parseRobots(url: string, text: string): RobotsRules {
  const robots = robotsParser(url, text.replace(/^\uFEFF/, ''));
  const delaySeconds = robots.getCrawlDelay(PRODUCT);
  const hasDelay = delaySeconds !== undefined && delaySeconds > 0;
  return {
    allows: (page) => robots.isAllowed(page, PRODUCT) !== false,
    crawlDelayMs: hasDelay ? Math.min(MAX_DELAY_MS, delaySeconds * 1_000) : undefined,
  };
}

async function fetchRobots(fetch: RobotsFetch, url: string, signal: AbortSignal): Promise<string> {
  try {
    const { status, body, headers } = await fetch(url, { signal, maxBytes: MAX_BYTES, deadline: 'robots' });
    if (status >= 500 || status === 429) {
      throw new RobotsUnreadable(`robots.txt answered ${status}, so nothing may be fetched.`, { retryable: true });
    }
    return status < 300 ? decodeHtml(body, headers['content-type']) : '';
  } catch (error) {
    if (!(error instanceof FetchError)) throw error;
    // A file beyond the limit is no robots.txt; what redirects in circles does not exist.
    if (error.reason === 'too_large' || error.reason === 'too_many_redirects') return '';
    throw new RobotsUnreadable(`robots.txt cannot be read, so nothing may be fetched. ${error.message}`, {
      retryable: error.retryable,
      cause: error,
    });
  }
}
