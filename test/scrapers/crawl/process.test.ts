import { createServer } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { crawlWithParent } from '../../../scrapers/crawl/crawl-with-parent.ts';
import { crawlInProcess, CrawlLost } from '../../../scrapers/crawl/process.ts';
import type { ParentRpc } from '../../../scrapers/crawl/protocol.ts';
import type { CrawlNews, CrawlSettings, CrawlSpec, QueueRows } from '../../../scrapers/crawl/spec.ts';
import { createPace } from '../../../scrapers/politeness/pace.ts';
import { startSite, type Route, type Site } from '../../support/site-server.ts';
import { applyChanges, boatPage, listPage } from './support.ts';

const open: Site[] = [];
afterEach(async () => {
  for (const site of open.splice(0)) await site.close();
});

async function site(routes: Record<string, Route>): Promise<Site> {
  const started = await startSite(routes);
  open.push(started);
  return started;
}

const settings: CrawlSettings = {
  fetchAllow: ['127.0.0.1'],
  chromiumPath: undefined,
  proxyUrls: [],
  userAgent: 'QuaysideBot/1.0',
  retryDelayMs: 10,
  timeLimitMs: 600_000,
  pageTimeLimitMs: 60_000,
};

const specOf = (url: string): CrawlSpec => ({
  site: '127.0.0.1',
  kind: 'http',
  start_urls: [`${url}/boats`],
  link_pattern: '/boats/[a-z0-9-]+$',
  pagination_pattern: null,
  extract: { mode: 'structured' },
  category_id: null,
  max_pages: 100,
  requests_per_minute: 6_000,
  respect_robots: true,
});

function createRpc(report: (news: CrawlNews) => void = () => {}): ParentRpc {
  const texts = new Map<string, string>();
  return {
    ...createPace(Date.now),
    readPages: async (pages) => pages.map(() => undefined),
    readRobots: async (host) => texts.get(host),
    writeRobots: async (host, text) => void texts.set(host, text),
    report: async (news) => {
      report(news);
    },
    log: async () => undefined,
  };
}

const signal = () => new AbortController().signal;

describe('crawlInProcess', () => {
  test('crawls through the calls', async () => {
    const { url } = await site({
      '/boats': listPage(['/boats/one', '/boats/two']),
      '/boats/one': boatPage('Bavaria 37'),
      '/boats/two': boatPage('Hanse 341'),
    });
    const titles: (string | undefined)[] = [];
    const rpc = createRpc((news) => titles.push(...news.records.map((record) => record.title)));
    expect(await crawlInProcess(specOf(url), settings, rpc, { signal: signal() })).toEqual({ outcome: 'finished' });
    expect(titles.toSorted((a = '', b = '') => a.localeCompare(b))).toEqual(['Bavaria 37', 'Hanse 341']);
  });

  /** So many siblings that a selector of some steps never comes to an end of the ways through them. */
  const maze = `<h1>Maze</h1>${'<b>x</b>'.repeat(5_000)}`;
  const intoMaze = 'i ~ b ~ b ~ b ~ b';

  test.each([
    [12_000, crawlInProcess],
    [600, crawlWithParent],
  ])(
    'at %i pages a minute, a page that cannot be read in time is skipped with its reason, and the crawl goes on',
    async (perMinute, runCrawl) => {
      const { url } = await site({
        '/boats': listPage(['/boats/one', '/boats/maze', '/boats/two']),
        '/boats/one': boatPage('Bavaria 37'),
        '/boats/maze': maze,
        '/boats/two': boatPage('Hanse 341'),
      });
      const spec: CrawlSpec = {
        ...specOf(url),
        requests_per_minute: perMinute,
        extract: { mode: 'selectors', selectors: { title: `${intoMaze}, h1` } },
      };
      const titles: (string | undefined)[] = [];
      const errors: CrawlNews['errors'] = [];
      const counts: Record<string, number> = {};
      const rpc = createRpc((news) => {
        titles.push(...news.records.map((record) => record.title));
        errors.push(...news.errors);
        for (const [name, n] of Object.entries(news.counts)) counts[name] = (counts[name] ?? 0) + n;
      });
      const end = await runCrawl(spec, { ...settings, pageTimeLimitMs: 2_000 }, rpc, { signal: signal() });
      expect(end).toEqual({ outcome: 'finished' });
      expect(titles.toSorted((a = '', b = '') => a.localeCompare(b))).toEqual(['Bavaria 37', 'Hanse 341']);
      expect(errors).toEqual([{ url: `${url}/boats/maze`, message: 'The page takes too long to read.' }]);
      expect(counts).toMatchObject({ pages_fetched: 3, pages_failed: 1 });
    },
  );

  test('a site whose every page cannot be read in time is given up after ten of them', async () => {
    const paths = Array.from({ length: 20 }, (_, index) => `/boats/maze-${index}`);
    const { url, hits } = await site(Object.fromEntries(paths.map((path) => [path, maze])));
    const spec = { ...specOf(url), start_urls: paths.map((path) => url + path) };
    const reader = {
      read: () => Promise.reject(new Error('The page takes too long to read.')),
      close: async () => undefined,
    };
    const end = await crawlWithParent(spec, settings, createRpc(), { signal: signal(), reader });
    expect(end).toEqual({
      outcome: 'failed',
      reason: '10 pages in a row failed. The page takes too long to read.',
    });
    expect(paths.filter((path) => hits.has(path)).length).toBeLessThan(20);
  });

  test('a crawl is told to stop while a page is being read, and that page stays to be visited', async () => {
    const stopping = new AbortController();
    let isSent = false;
    const { url } = await site({
      '/boats': (_request, response) => {
        response.once('close', () => (isSent = true));
        response.writeHead(200, { 'content-type': 'text/html' }).end(maze);
      },
    });
    const rows: QueueRows = { pending: [], visited: [], skipped: [] };
    const extract = { mode: 'selectors' as const, selectors: { title: intoMaze } };
    // Crawls report every second: the one after the page was sent is the sign that it goes on while a page is read.
    const rpc = createRpc((news) => {
      applyChanges(rows, news.queue);
      if (isSent) stopping.abort();
    });
    const end = await crawlInProcess({ ...specOf(url), extract }, settings, rpc, { signal: stopping.signal });
    expect(end).toEqual({ outcome: 'stopped' });
    expect(rows.pending.map((target) => target.url)).toEqual([`${url}/boats`]);
  });

  test('a crawl without the memory it needs is lost, and nothing else', async () => {
    const { url } = await site({ '/boats': listPage([]) });
    const lost = crawlInProcess(specOf(url), settings, createRpc(), { signal: signal(), heapMb: 12 });
    await expect(lost).rejects.toThrow(new CrawlLost('The crawl ran out of memory.'));
  });

  test('a crawl that says nothing is ended', async () => {
    const { url } = await site({ '/boats': listPage([]) });
    const hung = crawlInProcess(specOf(url), settings, createRpc(), { signal: signal(), silenceMs: 20 });
    await expect(hung).rejects.toThrow(new CrawlLost('The crawl hung and was ended.'));
  });

  test('a call that cannot store ends the crawl with its error', async () => {
    const { url } = await site({ '/boats': listPage([]) });
    const rpc = createRpc(() => {
      throw new Error('the database is away');
    });
    await expect(crawlInProcess(specOf(url), settings, rpc, { signal: signal() })).rejects.toThrow(
      'the database is away',
    );
  });

  test('a permit that cannot be released is no reason to end a crawl: it lapses by itself', async () => {
    const { url } = await site({ '/boats': listPage([]) });
    const rpc = {
      ...createRpc(),
      release: async () => {
        throw new Error('the database is away');
      },
    };
    // At 30 a minute robots.txt and the page need a permit each, and the first is given back in between.
    const spec = { ...specOf(url), requests_per_minute: 30 };
    expect(await crawlInProcess(spec, settings, rpc, { signal: signal() })).toEqual({ outcome: 'finished' });
  });

  test('an abort stops it, even while a page is on its way, and the last news say how far it came', async () => {
    const stopping = new AbortController();
    const silent = createServer(() => stopping.abort()).listen(0, '127.0.0.1');
    await new Promise((resolve) => silent.once('listening', resolve));
    const { port } = silent.address() as { port: number };
    const rows: QueueRows = { pending: [], visited: [], skipped: [] };
    const rpc = createRpc((news) => applyChanges(rows, news.queue));
    const spec = { ...specOf(`http://127.0.0.1:${port}`), respect_robots: false };
    expect(await crawlInProcess(spec, settings, rpc, { signal: stopping.signal })).toEqual({ outcome: 'stopped' });
    const room = await Promise.all(Array.from({ length: 8 }, () => rpc.acquire(`127.0.0.1:${port}`)));
    expect(room.every((permit) => permit !== undefined)).toBe(true);
    expect(rows.pending.map((target) => target.url)).toEqual(spec.start_urls);
    silent.closeAllConnections();
    silent.close();
  });

  test('a crawl that sends a malformed call is ended, with what was wrong and where', async () => {
    // As JSON would have it: an argument that was forgotten arrives as null.
    const program = new URL('../fixtures/malformed-crawl.ts', import.meta.url);
    const lost = crawlInProcess(specOf('http://127.0.0.1:9'), settings, createRpc(), { signal: signal(), program });
    await expect(lost).rejects.toThrow(
      new CrawlLost('A malformed call of reserveSlot at 2: Invalid input: expected number, received null.'),
    );
  });

  test('a crawl that gets a malformed answer has failed, with what was wrong, and asks its site for nothing', async () => {
    const { url, hits } = await site({ '/boats': listPage([]) });
    const rpc = { ...createRpc(), reserveSlot: async () => null as never };
    expect(await crawlInProcess(specOf(url), settings, rpc, { signal: signal() })).toEqual({
      outcome: 'failed',
      reason: 'A malformed answer to reserveSlot: Invalid input: expected number, received null.',
    });
    expect(hits.size).toBe(0);
  });

  test('a crawl that is started with half of its settings has failed, with what is missing', async () => {
    const { requests_per_minute: _left, ...spec } = specOf('http://127.0.0.1:9');
    expect(await crawlInProcess(spec as CrawlSpec, settings, createRpc(), { signal: signal() })).toEqual({
      outcome: 'failed',
      reason:
        'A malformed message to the crawl at spec.requests_per_minute: Invalid input: expected number, received undefined.',
    });
  });

  test('an aborted signal starts nothing', async () => {
    expect(
      await crawlInProcess(specOf('http://127.0.0.1:9'), settings, createRpc(), { signal: AbortSignal.abort() }),
    ).toEqual({ outcome: 'stopped' });
  });
});
