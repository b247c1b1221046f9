import { setTimeout as delay } from 'node:timers/promises';
import { createGuardedFetch } from '../../shared/adapters/fetch.ts';
import type { Config } from '../../shared/kit/config.ts';
import type { IngestRecord } from '../../shared/normalize/record-type.ts';
import { progressLine } from './print.ts';
import { createNormalize } from '../../shared/scrapers/site-normalizer.ts';
import { crawlSettingsOf, fetchSettingsOf, type CrawlEnd, type CrawlNews, type CrawlSpec } from '../crawl/spec.ts';
import { crawl } from '../crawl/crawl.ts';
import type { readerOf } from '../crawl/page-reader.ts';
import { createPace, type Pace } from '../politeness/pace.ts';
import { createRobotsMemory, type RobotsStore } from '../politeness/robots.ts';

type Ports = {
  /** What it is polite by; its own memory when absent. */
  pace?: Pace;
  robots?: RobotsStore;
  openReader: typeof readerOf;
};

type Crawled = { end: CrawlEnd; records: number };

/** Crawls in this process, with its progress on stderr, and hands on the records as they are found. Ctrl-C ends it early. */
export async function crawlByHand(
  spec: CrawlSpec,
  config: Config,
  { pace = createPace(Date.now), robots = createRobotsMemory(), openReader }: Ports,
  onRecords: (records: IngestRecord[]) => Promise<void>,
): Promise<Crawled> {
  const settings = crawlSettingsOf(config, { timeLimitMs: Number.MAX_SAFE_INTEGER });
  const fetch = createGuardedFetch(fetchSettingsOf(settings));
  const reader = openReader(spec, settings);
  const counts = { pages: 0, records: 0, errors: 0 };
  const startedAt = performance.now();
  const stopping = new AbortController();
  const interrupt = () => stopping.abort(new Error('interrupted'));
  process.once('SIGINT', interrupt);

  const report = async (news: CrawlNews) => {
    counts.pages += news.counts.pages_fetched ?? 0;
    counts.records += news.records.length;
    counts.errors += news.errors.length;
    for (const { url, message } of news.errors) showProgress(`${url === undefined ? '' : `${url}: `}${message}\n`);
    showProgress(progressLine(counts, startedAt));
    if (news.records.length > 0) await onRecords(news.records);
  };
  const sleep = (milliseconds: number, signal: AbortSignal) => delay(milliseconds, undefined, { signal });
  const ports = {
    fetch,
    pace,
    robots,
    readContent: reader.read,
    normalize: createNormalize(spec, () => new Date()),
    report,
    now: Date.now,
    sleep,
  };
  try {
    const end = await crawl(spec, settings, ports, stopping.signal);
    showProgress(`${progressLine(counts, startedAt)}\n`);
    return { end, records: counts.records };
  } finally {
    process.off('SIGINT', interrupt);
    await Promise.all([fetch.close(), reader.close()]);
  }
}

/** One line that is written over on a terminal; elsewhere whole lines only. */
function showProgress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001B[K${text}`);
  else if (text.endsWith('\n')) process.stderr.write(text);
}
