import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { crawlInProcess } from '../../scrapers/crawl/process.ts';
import type { ParentRpc } from '../../scrapers/crawl/protocol.ts';
import type { CrawlSpec } from '../../scrapers/crawl/spec.ts';
import { findBrowser } from '../../scrapers/load/browser-launch.ts';
import { createPace } from '../../scrapers/politeness/pace.ts';
import { defaultSettings } from '../../shared/scrapers/settings.ts';
import type { BenchOptions } from './run.ts';

const PAGES = 5_000;
const CONCURRENCY = '8';
/** Of the pages, one in so many is opened in a browser. */
const BROWSER_SHARE = 50;
/** Looking for the memory of a crawl reads about every process there is. */
const LOOK_EVERY_MS = 500;
const programs = { site: './crawl-site.ts', bare: './crawl-bare.ts' };

type Pass = { pages: number; records: number; seconds: number };

/**
 * Crawls a site of 5,000 pages on this machine as a scraper does, in its own process with everything it does to a page, beside
 * a bare loop of fetching and parsing at the same concurrency, in turns; then as many pages of it as a browser does in the same
 * time, where there is one. Prints pages per second and memory. No ratio is owed: a host's pace is far below either.
 */
export async function benchCrawl({ n = PAGES, rounds = 3 }: BenchOptions): Promise<void> {
  const site = start('site', [String(n)]);
  try {
    const [{ port }] = (await once(site, 'message')) as [{ port: number }];
    const url = `http://127.0.0.1:${port}/list/0`;
    const rates: { bare: number; http: number }[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const bare = await crawlBare(url);
      const http = await crawlOurs(url, 'http', n);
      rates.push({ bare: bare.pages / bare.seconds, http: http.pages / http.seconds });
      console.log(`bare     ${describe(bare)}`);
      console.log(`http     ${describe(http)}; RSS ${quarters(http.rss).join(' > ')} MB`);
    }
    const ratios = rates.map(({ bare, http }) => http / bare).toSorted((a, b) => a - b);
    console.log(`http     ${ratios[Math.floor(ratios.length / 2)]?.toFixed(2)} of the bare loop (median of ${rounds})`);
    if (!(await hasBrowser())) return console.log('browser  skipped: there is none on this machine');
    const browser = await crawlOurs(url, 'browser', Math.ceil(n / BROWSER_SHARE));
    console.log(`browser  ${describe(browser)}; RSS of its process ${quarters(browser.rss).join(' > ')} MB`);
  } finally {
    site.disconnect();
  }
}

const hasBrowser = () =>
  findBrowser(undefined).then(
    () => true,
    () => false,
  );

const start = (name: keyof typeof programs, args: string[]): ChildProcess =>
  fork(new URL(programs[name], import.meta.url), args);

const describe = ({ pages, records, seconds }: Pass) =>
  `${pages} pages, ${records} records in ${seconds.toFixed(1)} s: ${Math.round(pages / seconds)} pages/s`;

async function crawlBare(url: string): Promise<Pass> {
  const child = start('bare', [url, CONCURRENCY]);
  const [outcome] = (await once(child, 'message')) as [Pass];
  await once(child, 'exit');
  return outcome;
}

/** The time counts from the first page that was asked for: a process starts once per crawl, not per page. */
async function crawlOurs(url: string, kind: CrawlSpec['kind'], pages: number): Promise<Pass & { rss: number[] }> {
  const spec: CrawlSpec = {
    ...defaultSettings,
    kind,
    site: '127.0.0.1',
    start_urls: [url],
    link_pattern: '/boats/\\d+$',
    pagination_pattern: '/list/\\d+$',
    max_pages: pages,
    requests_per_minute: 60_000_000,
    respect_robots: false,
  };
  const seen = { pages: 0, records: 0 };
  const rss: number[] = [];
  let startedAt = 0;
  let lookedAt = 0;
  const pace = createPace(Date.now);
  const rpc: ParentRpc = {
    ...pace,
    reserveSlot: (host, intervalMs, count) => {
      startedAt ||= performance.now();
      return pace.reserveSlot(host, intervalMs, count);
    },
    readPages: async (asked) => asked.map(() => undefined),
    readRobots: async () => undefined,
    writeRobots: async () => undefined,
    log: async () => undefined,
    report: async (news) => {
      seen.pages += news.counts.pages_fetched ?? 0;
      seen.records += news.records.length;
      if (performance.now() - lookedAt < LOOK_EVERY_MS) return;
      lookedAt = performance.now();
      rss.push(...childrenRss());
    },
  };
  const settings = {
    fetchAllow: ['127.0.0.1'],
    chromiumPath: undefined,
    proxyUrls: [],
    userAgent: 'QuaysideBench/1.0',
    retryDelayMs: 1_000,
    timeLimitMs: 600_000,
    pageTimeLimitMs: 20_000,
  };
  const end = await crawlInProcess(spec, settings, rpc, { signal: new AbortController().signal });
  if (end.outcome !== 'finished') throw new Error(`the crawl ended as ${JSON.stringify(end)}`);
  return { ...seen, seconds: (performance.now() - startedAt) / 1_000, rss };
}

/** Resident memory of the crawls that run now, in MB, as Linux tells it; nothing elsewhere. */
function childrenRss(): number[] {
  try {
    return readdirSync('/proc').flatMap((pid) => {
      if (!/^\d+$/.test(pid) || !/crawl\/child/.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8'))) return [];
      const status = readFileSync(`/proc/${pid}/status`, 'utf8');
      const isOurs = new RegExp(`^PPid:\\s+${process.pid}$`, 'm').test(status);
      return isOurs ? [Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024)] : [];
    });
  } catch {
    return [];
  }
}

const quarters = (values: readonly number[]) =>
  [0, 0.25, 0.5, 0.75, 1].map((share) => values[Math.round(share * (values.length - 1))] ?? 0);
