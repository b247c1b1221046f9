import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { createPace } from '../../../scrapers/politeness/pace.ts';
import { startSite, type Route, type Site } from '../../support/site-server.ts';
import { boatPage, crawlSite, createFakeTime, listPage } from './support.ts';

const open: Site[] = [];
afterEach(async () => {
  for (const site of open.splice(0)) await site.close();
});

async function site(routes: Record<string, Route>): Promise<Site> {
  const started = await startSite(routes);
  open.push(started);
  return started;
}

const titles = (records: { title?: string }[]) => records.map((record) => record.title ?? '').toSorted();

describe('where a crawl goes', () => {
  test('it follows rel=next and reads a record from every page that link_pattern matches', async () => {
    const { url, hits } = await site({
      '/boats': listPage(['/boats/one', '/boats/two', '/about', 'https://elsewhere.example/boats/x'], '/boats?page=2'),
      '/boats?page=2': listPage(['/boats/three', '/boats/one#photos']),
      '/boats/one': boatPage('Bavaria 37'),
      '/boats/two': boatPage('Hanse 341', '<a href="/boats/four">similar</a>'),
      '/boats/three': boatPage('Dehler 34'),
      '/boats/four': boatPage('Dufour 40'),
      '/about': boatPage('Not a boat for sale'),
    });
    const { end, records, counts } = await crawlSite(url);
    expect(end).toEqual({ outcome: 'finished' });
    expect(titles(records)).toEqual(['Bavaria 37', 'Dehler 34', 'Dufour 40', 'Hanse 341']);
    expect(counts).toEqual({ pages_fetched: 6 });
    expect(hits.get('/about')).toBeUndefined();
    expect(hits.get('/boats/one')).toBe(1);
  });

  test('pagination_pattern decides which pages lead on', async () => {
    const { url, hits } = await site({
      '/boats': listPage(['/boats/one', '/boats?p=2', '/boats?sort=price']),
      '/boats?p=2': listPage(['/boats/two']),
      '/boats/one': boatPage('Bavaria 37'),
      '/boats/two': boatPage('Hanse 341'),
    });
    const { records } = await crawlSite(url, { pagination_pattern: '[?&]p=\\d+' });
    expect(titles(records)).toEqual(['Bavaria 37', 'Hanse 341']);
    expect(hits.get('/boats')).toBe(2);
  });

  test('without link_pattern every page of the site is tried, and nothing else', async () => {
    const { url, hits } = await site({
      '/boats': listPage(['/one', '/two', '/photo.jpg', 'mailto:a@b.example', 'http://127.0.0.2/three']),
      '/one': boatPage('Bavaria 37'),
      '/two': '<html><body><p>About us</p><a href="/boats">back</a></body></html>',
    });
    const { records, counts } = await crawlSite(url, { link_pattern: null });
    expect(titles(records)).toEqual(['Bavaria 37']);
    expect(counts).toEqual({ pages_fetched: 3 });
    expect(hits.get('/photo.jpg')).toBeUndefined();
  });

  test('an endless site ends at max_pages', async () => {
    const routes: Record<string, Route> = {};
    const endless: Route = (request, response) => {
      const n = Number(new URL(request.url ?? '', 'http://x').searchParams.get('page') ?? 1);
      response.setHeader('content-type', 'text/html');
      response.end(
        listPage(
          [1, 2, 3].map((i) => `/boats?page=${n * 3 + i}`),
          `/boats?page=${n + 1}`,
        ),
      );
    };
    routes['/boats'] = endless;
    const { url, hits } = await site(routes);
    const { end, counts } = await crawlSite(url, { max_pages: 25, pagination_pattern: 'page=\\d+' });
    expect(end).toEqual({ outcome: 'finished' });
    expect(counts).toEqual({ pages_fetched: 25 });
    expect(hits.get('/boats')).toBe(25);
  });

  test('a page reached under two addresses is one page', async () => {
    const { url, hits } = await site({
      '/boats': listPage(['/boats/old', '/boats/new', '/boats/new?utm_source=list']),
      '/boats/old': { status: 301, headers: { location: '/boats/new' } },
      '/boats/new': boatPage('Bavaria 37'),
    });
    const { records, end } = await crawlSite(url);
    expect(end.outcome).toBe('finished');
    expect(titles(records)).toEqual(['Bavaria 37']);
    expect(hits.get('/boats/new')).toBeLessThanOrEqual(2);
  });

  test('a record cannot claim an address of another site', async () => {
    const { url } = await site({
      '/boats': listPage(['/boats/thief']),
      '/boats/thief': boatPage('Stolen', '').replace(
        '<head>',
        '<head><link rel="canonical" href="https://victim.example/boats/1">',
      ),
    });
    const { records } = await crawlSite(url);
    expect(records.map((record) => record.url)).toEqual([`${url}/boats/thief`]);
  });

  test('it goes on where an earlier process stopped, and asks for nothing twice', async () => {
    const { url, hits } = await site({
      '/boats': listPage(['/boats/one', '/boats/two', '/boats/three']),
      '/boats/one': boatPage('Bavaria 37'),
      '/boats/two': boatPage('Hanse 341'),
      '/boats/three': boatPage('Dehler 34'),
    });
    const stopping = new AbortController();
    const first = await crawlSite(
      url,
      { requests_per_minute: 1 },
      {
        signal: stopping.signal,
        ports: { normalize: (raw) => (stopping.abort(), { record: { url: raw.url, title: raw.title } }) },
      },
    );
    expect(first.end).toEqual({ outcome: 'stopped' });
    expect(first.records).toHaveLength(1);
    const second = await crawlSite(url, { resume: JSON.parse(JSON.stringify(first.queue)) });
    expect(second.end).toEqual({ outcome: 'finished' });
    expect(titles([...first.records, ...second.records])).toEqual(['Bavaria 37', 'Dehler 34', 'Hanse 341']);
    expect(hits.get('/boats')).toBe(1);
    expect(hits.get('/boats/one')).toBe(1);
  });
});

describe('politeness', () => {
  test('robots.txt is obeyed; what it forbids is counted as skipped', async () => {
    const { url, hits } = await site({
      '/robots.txt': 'User-agent: *\nDisallow: /boats/secret',
      '/boats': listPage(['/boats/one', '/boats/secret', '/boats/secret-too']),
      '/boats/one': boatPage('Bavaria 37'),
      '/boats/secret': boatPage('Secret'),
      '/boats/secret-too': boatPage('Secret'),
    });
    const { records, counts, errors, end } = await crawlSite(url);
    expect(end.outcome).toBe('finished');
    expect(titles(records)).toEqual(['Bavaria 37']);
    expect(counts).toEqual({ pages_fetched: 2, pages_skipped: 2 });
    expect(hits.get('/boats/secret')).toBeUndefined();
    expect(errors.map((error) => error.message)).toEqual(Array(2).fill('robots.txt does not allow this page.'));
    expect(hits.get('/robots.txt')).toBe(1);
  });

  test('respect_robots false asks for no robots.txt', async () => {
    const { url, hits } = await site({
      '/robots.txt': 'User-agent: *\nDisallow: /',
      '/boats': listPage(['/boats/one']),
      '/boats/one': boatPage('Bavaria 37'),
    });
    const { records } = await crawlSite(url, { respect_robots: false });
    expect(records).toHaveLength(1);
    expect(hits.get('/robots.txt')).toBeUndefined();
  });

  test('a site that forbids everything makes a failed crawl that says so', async () => {
    const { url, hits } = await site({ '/robots.txt': 'User-agent: QuaysideBot\nDisallow: /', '/boats': listPage([]) });
    const { end } = await crawlSite(url);
    expect(end).toEqual({ outcome: 'failed', reason: 'No page could be read. robots.txt does not allow this page.' });
    expect(hits.get('/boats')).toBeUndefined();
  });

  test('a robots.txt that cannot be read forbids everything, as long as that lasts', async () => {
    const { url, hits } = await site({ '/robots.txt': { status: 503, body: 'later' }, '/boats': listPage([]) });
    const { end } = await crawlSite(url);
    expect(end).toEqual({ outcome: 'failed', reason: expect.stringContaining('robots.txt answered 503') });
    expect(hits.get('/boats')).toBeUndefined();
    expect(hits.get('/robots.txt')).toBeGreaterThan(1);
  });

  test('Crawl-delay is kept between any two requests, from robots.txt on', async () => {
    const { url } = await site({
      '/robots.txt': 'User-agent: *\nCrawl-delay: 20',
      '/boats': listPage(['/boats/one', '/boats/two']),
      '/boats/one': boatPage('Bavaria 37'),
      '/boats/two': boatPage('Hanse 341'),
    });
    const time = createFakeTime();
    await crawlSite(url, {}, { time });
    expect(time.pauses).toEqual([20_000, 20_000, 20_000]);
  });

  test('requests_per_minute are spread evenly, robots.txt among them', async () => {
    const { url } = await site({
      '/boats': listPage(['/boats/one', '/boats/two', '/boats/three']),
      '/boats/one': boatPage('Bavaria 37'),
      '/boats/two': boatPage('Hanse 341'),
      '/boats/three': boatPage('Dehler 34'),
    });
    const time = createFakeTime();
    const before = time.now();
    await crawlSite(url, { requests_per_minute: 4 }, { time });
    expect(time.now() - before).toBe(60_000);
  });

  test('every request says who we are', async () => {
    const seen = new Set<string | undefined>();
    const { url } = await site({
      '/robots.txt': (request, response) => (seen.add(request.headers['user-agent']), response.writeHead(404).end()),
      '/boats': (request, response) => (
        seen.add(request.headers['user-agent']),
        response.setHeader('content-type', 'text/html').end(listPage([]))
      ),
    });
    await crawlSite(url);
    expect([...seen]).toEqual(['QuaysideBot/1.0 (+http://localhost)']);
  });

  test('a site that answers 429 is left alone for as long as Retry-After says', async () => {
    let refusals = 0;
    const { url } = await site({
      '/boats': listPage(['/boats/one']),
      '/boats/one': (_request, response) => {
        refusals += 1;
        if (refusals === 1) return response.writeHead(429, { 'retry-after': '120' }).end();
        response.setHeader('content-type', 'text/html').end(boatPage('Bavaria 37'));
      },
    });
    const time = createFakeTime();
    const { records } = await crawlSite(url, {}, { time });
    expect(records).toHaveLength(1);
    expect(Math.max(...time.pauses)).toBeGreaterThanOrEqual(119_000);
  });

  test('what a page asks for with its last refusal holds for the pages after it', async () => {
    const { url } = await site({
      '/boats': listPage(['/boats/one']),
      '/boats/one': { status: 429, headers: { 'retry-after': '30' } },
    });
    const time = createFakeTime();
    const pace = createPace(time.now);
    const backOffs: number[] = [];
    const backOff = async (host: string, milliseconds: number) => {
      backOffs.push(milliseconds);
      await pace.backOff(host, milliseconds);
    };
    await crawlSite(url, {}, { time, ports: { pace: { ...pace, backOff } } });
    expect(backOffs).toEqual([30_000, 30_000, 30_000, 30_000]);
  });

  test('a site that wants to be left alone for an hour ends the crawl', async () => {
    const { url, hits } = await site({ '/boats': { status: 503, headers: { 'retry-after': '3600' } } });
    const { end } = await crawlSite(url);
    expect(end).toEqual({ outcome: 'failed', reason: expect.stringContaining('left alone for 3600 seconds') });
    expect(hits.get('/boats')).toBe(1);
  });
});

describe('bad sites', () => {
  test('404 and 410 are told apart from failures, and are no reason to fail', async () => {
    const { url } = await site({
      '/boats': listPage(['/boats/one', '/boats/sold', '/boats/removed', '/boats/broken']),
      '/boats/one': boatPage('Bavaria 37'),
      '/boats/removed': { status: 410 },
      '/boats/broken': { status: 500, body: 'oops' },
    });
    const { end, counts, gone, errors, records } = await crawlSite(url);
    expect(end).toEqual({ outcome: 'finished' });
    expect(records).toHaveLength(1);
    expect(counts).toEqual({ pages_fetched: 2, pages_gone: 2, pages_failed: 1 });
    expect(gone.toSorted()).toEqual([`${url}/boats/removed`, `${url}/boats/sold`]);
    expect(errors.find((error) => error.url?.endsWith('broken'))?.message).toBe('The page answered 500.');
  });

  test('a page that fails is asked for four times, ever more slowly', async () => {
    const { url, hits } = await site({
      '/boats': listPage(['/boats/one', '/boats/broken']),
      '/boats/one': boatPage('Bavaria 37'),
      '/boats/broken': { status: 500 },
    });
    const time = createFakeTime();
    await crawlSite(url, {}, { time });
    expect(hits.get('/boats/broken')).toBe(4);
    expect(time.pauses.filter((pause) => pause >= 1_000)).toEqual([1_000, 2_000, 4_000]);
  });

  test('a site that is down makes a failed crawl with a reason', async () => {
    const down = await startSite({});
    await down.close();
    const { end } = await crawlSite(down.url);
    expect(end).toEqual({ outcome: 'failed', reason: expect.stringContaining('ECONNREFUSED') });
  });

  test('ten failures in a row end the crawl', async () => {
    const links = Array.from({ length: 60 }, (_, i) => `/boats/b${i}`);
    const routes: Record<string, Route> = { '/boats': listPage(links) };
    for (const link of links) routes[link] = { status: 502 };
    const { url } = await site(routes);
    const { end, counts } = await crawlSite(url);
    expect(end).toEqual({ outcome: 'failed', reason: '10 pages in a row failed. The page answered 502.' });
    expect(counts['pages_failed']).toBeLessThan(20);
  });

  test('a body that unpacks beyond 10 MB is not read', async () => {
    const bomb = gzipSync(Buffer.alloc(300 * 1_048_576, '<p>boat</p>'));
    const { url } = await site({
      '/boats': listPage(['/boats/bomb', '/boats/one']),
      '/boats/bomb': { headers: { 'content-type': 'text/html', 'content-encoding': 'gzip' }, body: bomb },
      '/boats/one': boatPage('Bavaria 37'),
    });
    const before = process.memoryUsage().rss;
    const { errors, records, end } = await crawlSite(url);
    expect(end.outcome).toBe('finished');
    expect(records).toHaveLength(1);
    expect(errors).toEqual([{ url: `${url}/boats/bomb`, message: expect.stringContaining('10485760 bytes') }]);
    expect(process.memoryUsage().rss - before).toBeLessThan(120 * 1_048_576);
  });

  test('a redirect to a private address is not followed', async () => {
    const canary = await site({ '/': boatPage('Inside') });
    const { url } = await site({
      '/boats': listPage(['/boats/trap', '/boats/metadata', '/boats/one']),
      '/boats/trap': { status: 302, headers: { location: `${canary.url}/` } },
      '/boats/metadata': { status: 302, headers: { location: 'http://169.254.169.254/latest/meta-data' } },
      '/boats/one': boatPage('Bavaria 37'),
    });
    const { records, counts, end } = await crawlSite(url);
    expect(end.outcome).toBe('finished');
    expect(titles(records)).toEqual(['Bavaria 37']);
    expect(counts).toEqual({ pages_fetched: 2, pages_failed: 1, pages_skipped: 1 });
    expect(canary.hits.size).toBe(0);
  });

  test('pages that lie, break off or are no HTML crash nothing', async () => {
    const { url } = await site({
      '/boats': listPage(['/boats/pdf', '/boats/loop', '/boats/cut', '/boats/deep', '/boats/one']),
      '/boats/pdf': { headers: { 'content-type': 'application/pdf' }, body: '%PDF-1.7' },
      '/boats/loop': { status: 302, headers: { location: '/boats/loop' } },
      '/boats/cut': (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/html', 'content-length': '5000' });
        response.write('<html>');
        response.destroy();
      },
      '/boats/deep': `<html><body>${'<div>'.repeat(100_000)}${'<script type="application/ld+json">{"@type":'.repeat(2_000)}`,
      '/boats/one': boatPage('Bavaria 37'),
    });
    const { records, end, counts } = await crawlSite(url);
    expect(end.outcome).toBe('finished');
    expect(titles(records).filter((title) => title === 'Bavaria 37')).toHaveLength(1);
    expect(counts).toMatchObject({ pages_fetched: 3, pages_failed: 2, pages_skipped: 1 });
  });

  test.each([
    ['the header', { 'content-type': 'text/html; charset=windows-1252' }, '', 'latin1'],
    ['a meta tag', { 'content-type': 'text/html' }, '<meta charset="iso-8859-1">', 'latin1'],
    ['nothing at all', { 'content-type': 'text/html' }, '', 'latin1'],
    ['a byte order mark', { 'content-type': 'text/html; charset=windows-1252' }, '\uFEFF', 'utf8'],
    ['UTF-16 with its mark', { 'content-type': 'text/html' }, '\uFEFF', 'utf16le'],
  ] as const)('letters are read right when the encoding is told by %s', async (_by, headers, head, encoding) => {
    const page = boatPage('Möwe für Küste').replace('<meta charset="utf-8">', '').replace('<!doctype html>', '');
    const { url } = await site({
      '/boats': listPage(['/boats/one']),
      '/boats/one': {
        headers,
        body: Buffer.from(head.startsWith('<') ? page.replace('<head>', `<head>${head}`) : head + page, encoding),
      },
    });
    const { records } = await crawlSite(url);
    expect(titles(records)).toEqual(['Möwe für Küste']);
  });

  test('a crawl that takes too long ends with what it has, and says so', async () => {
    const { url } = await site({
      '/boats': listPage(['/boats/one', '/boats/two', '/boats/three']),
      '/boats/one': boatPage('Bavaria 37'),
    });
    const { end, errors } = await crawlSite(url, { requests_per_minute: 1 }, { settings: { timeLimitMs: 90_000 } });
    expect(end).toEqual({ outcome: 'finished' });
    expect(errors.at(-1)?.message).toContain('there are pages it has not seen');
  });
});
