import { crawlInProcess } from '../../scrapers/crawl/process.ts';
import type { ParentRpc } from '../../scrapers/crawl/protocol.ts';
import type { CrawlSpec } from '../../scrapers/crawl/spec.ts';
import { createPace } from '../../scrapers/politeness/pace.ts';
import { defaultSettings } from '../../shared/scrapers/settings.ts';
import { startSite } from '../support/site-server.ts';
import type { BenchOptions } from './run.ts';

const RUNS = 50;
const PAGES = 20;
const TOLERATED_MB = 50;

/** Crawls a small site fifty times, each time in a process of its own as a scraper does, and prints what is left of the memory. */
export async function benchCrawlMemory({ n = RUNS }: BenchOptions): Promise<void> {
  const names = Array.from({ length: PAGES }, (_, i) => `/boats/${i}`);
  const page = (name: string) =>
    `<html><head><title>Boat ${name}</title></head><body><h1>Boat ${name}</h1></body></html>`;
  const list = names.map((name) => `<a href="${name}">${name}</a>`).join('');
  const routes = Object.fromEntries(names.map((name) => [name, page(name)]));
  const site = await startSite({ '/boats': `<html><body>${list}</body></html>`, ...routes });
  const spec: CrawlSpec = {
    ...defaultSettings,
    site: '127.0.0.1',
    start_urls: [`${site.url}/boats`],
    link_pattern: '/boats/\\d+$',
    requests_per_minute: 6_000,
  };
  const settings = {
    fetchAllow: ['127.0.0.1'],
    chromiumPath: undefined,
    proxyUrls: [],
    userAgent: 'QuaysideBot/1.0',
    retryDelayMs: 1_000,
    timeLimitMs: 600_000,
    pageTimeLimitMs: 20_000,
  };
  const texts = new Map<string, string>();
  const rpc: ParentRpc = {
    ...createPace(Date.now),
    readPages: async (pages) => pages.map(() => undefined),
    readRobots: async (host) => texts.get(host),
    writeRobots: async (host, text) => void texts.set(host, text),
    report: async () => {},
    log: async () => undefined,
  };
  try {
    let before = 0;
    for (let run = 0; run <= n; run += 1) {
      const end = await crawlInProcess(spec, settings, rpc, { signal: new AbortController().signal });
      if (end.outcome !== 'finished') throw new Error(`run ${run} has ${end.outcome}`);
      // The first run loads what all need.
      if (run === 0) before = residentMb();
      else if (run % 10 === 0) console.log(`after ${run} runs: ${residentMb()} MB (${before} MB before)`);
    }
    const left = residentMb() - before;
    console.log(
      `${left} MB more after ${n} runs: ${left <= TOLERATED_MB ? 'back' : 'NOT BACK'} within ${TOLERATED_MB} MB`,
    );
  } finally {
    await site.close();
  }
}

const residentMb = () => Math.round(process.memoryUsage.rss() / 1_048_576);
