import { createHash } from 'node:crypto';
import { Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { callbackify } from 'node:util';
import { FetchError } from '../../shared/adapters/fetch-guard.ts';
import { createGuardedFetch, type FetchedResponse, type GuardedFetch } from '../../shared/adapters/fetch.ts';
import type { Storage } from '../../shared/adapters/storage.ts';
import { MAX_FEED_BYTES } from '../../shared/feeds/read-feed.ts';
import { MINUTE_MS } from '../../shared/kit/clock.ts';
import { RunFailed } from '../../shared/runs/long-run.ts';
import type { StoredFeed } from '../../shared/scrapers/feed-files.ts';
import { userAgentOf } from '../crawl/spec.ts';
import { createSharedPace, createSharedRobots } from '../politeness/pace-shared.ts';
import { createPoliteness } from '../politeness/politeness.ts';
import { retryAfterMs } from '../politeness/politeness.ts';
import type { ScraperServices } from '../services.ts';

const ACCEPT = 'application/xml,text/xml,application/json,text/csv,application/x-ndjson;q=0.9,*/*;q=0.5';
const MAX_VALIDATOR = 500;

type FeedSource = {
  url: string;
  requests_per_minute: number;
  respect_robots: boolean;
  /** What the last feed was known by. */
  known: { etag: string | null; last_modified: string | null; sha256: string } | undefined;
};

/**
 * Fetches a feed into the private storage, in its slot at the host and as robots.txt allows; undefined when it is as it was when
 * it was last read, by its validators or byte for byte. Throws RunFailed where another try would end the same.
 */
export async function fetchFeed(
  services: ScraperServices,
  storage: Storage,
  key: string,
  source: FeedSource,
  signal: AbortSignal,
): Promise<StoredFeed | undefined> {
  const { config } = services;
  const fetch = createGuardedFetch({
    allow: config.fetchAllow,
    userAgent: userAgentOf(config.baseUrl, config.crawlerContact),
    deadlines: config.deadlines,
  });
  const file = await storage.begin(key, { contentType: 'application/octet-stream' });
  const hash = createHash('sha256');
  const into = new Writable({
    write: callbackify(async (chunk: Buffer, _encoding: BufferEncoding) => {
      hash.update(chunk);
      await file.write(chunk);
    }),
  });
  let isStored = false;
  try {
    const response = await request(services, fetch, source, into, signal);
    const sha256 = hash.digest('hex');
    if (response.status === 304 || sha256 === source.known?.sha256) return undefined;
    await file.finish();
    isStored = true;
    const { etag, 'last-modified': lastModified, 'content-type': contentType } = response.headers;
    return { key, sha256, etag: short(etag), lastModified: short(lastModified), contentType: short(contentType) };
  } finally {
    if (!isStored) await file.abandon();
    await fetch.close();
  }
}

const short = (value: string | undefined) => (value !== undefined && value.length <= MAX_VALIDATOR ? value : undefined);

async function request(
  { pool, clock }: ScraperServices,
  fetch: GuardedFetch,
  { url, requests_per_minute: perMinute, respect_robots: respectsRobots, known }: FeedSource,
  into: Writable,
  signal: AbortSignal,
): Promise<FetchedResponse> {
  const politeness = createPoliteness({
    fetch,
    robots: respectsRobots ? createSharedRobots(pool, clock) : undefined,
    pace: createSharedPace(pool, clock),
    intervalMs: MINUTE_MS / perMinute,
    now: () => clock.now().getTime(),
    sleep: (milliseconds, stop) => delay(milliseconds, undefined, { signal: stop }),
  });
  const headers = {
    ...(known?.etag && { 'if-none-match': known.etag }),
    ...(known?.last_modified && { 'if-modified-since': known.last_modified }),
  };
  const options = { accept: ACCEPT, maxBytes: MAX_FEED_BYTES, deadline: 'feed' as const, headers, into, signal };
  const sent = await politeness
    .request(url, signal, () => fetch.fetch(url, options))
    .catch((error: unknown) => {
      if (error instanceof FetchError && !error.retryable)
        throw new RunFailed(`The feed cannot be fetched. ${error.message}`);
      throw error;
    });
  if (!('answer' in sent)) {
    if (sent.kind === 'failed' && sent.retry) throw new Error(sent.message);
    throw new RunFailed(sent.message);
  }
  const { status, headers: answered } = sent.answer;
  if (status === 304 || (status >= 200 && status <= 299 && status !== 204)) return sent.answer;
  const message = `The feed answered ${status}; nothing is withdrawn.`;
  const restMs = retryAfterMs(answered['retry-after'], clock.now().getTime());
  if (restMs !== undefined) await politeness.backOff(url, restMs);
  if (status === 429 || status === 408 || status >= 500) throw new Error(message);
  throw new RunFailed(message);
}
