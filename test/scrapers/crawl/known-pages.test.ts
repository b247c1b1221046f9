import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import type { KnownPage } from '../../../scrapers/crawl/spec.ts';
import { createPace } from '../../../scrapers/politeness/pace.ts';
import { startSite, type Route, type Site } from '../../support/site-server.ts';
import { boatPage, crawlSite, listPage, type Crawled } from './support.ts';

const open: Pick<Site, 'close'>[] = [];
afterEach(async () => {
  for (const site of open.splice(0)) await site.close();
});

async function site(routes: Record<string, Route>): Promise<Site> {
  const started = await startSite(routes);
  open.push(started);
  return started;
}

const titles = ({ records }: Crawled) => records.map((record) => record.title ?? '').toSorted();
/** What a crawl knows after an earlier one. */
const knownFrom = ({ pages }: Crawled) => {
  const known = new Map(
    pages.map(({ page, scrapedAt, ...rest }): [string, KnownPage] => [
      page,
      { ...rest, readAt: Date.parse(scrapedAt) },
    ]),
  );
  return { ports: { readPage: async (page: string) => known.get(page) } };
};
const urlset = (...pages: [string, string?][]) =>
  `<?xml version="1.0"?><urlset>${pages
    .map(([loc, lastmod]) => `<url><loc>${loc}</loc>${lastmod ? `<lastmod>${lastmod}</lastmod>` : ''}</url>`)
    .join('')}</urlset>`;

describe('pages that an earlier crawl has read', () => {
  const versioned =
    (html: string, name: string, value: string, question: string): Route =>
    (request, response) => {
      if (request.headers[question] === value) return response.writeHead(304).end();
      response.writeHead(200, { 'content-type': 'text/html', [name]: value }).end(html);
    };

  test('are asked for with what names their version; one that has not changed is no record, and leads where it led', async () => {
    const at = 'Thu, 01 Jan 2026 00:00:00 GMT';
    const { url, hits } = await site({
      '/boats': listPage(['/boats/one', '/boats/two', '/boats/three']),
      '/boats/one': versioned(
        boatPage('Bavaria 37', '<a href="/boats/four">similar</a>'),
        'etag',
        '"1"',
        'if-none-match',
      ),
      '/boats/two': versioned(boatPage('Hanse 341'), 'last-modified', at, 'if-modified-since'),
      '/boats/three': boatPage('Dehler 34'),
      '/boats/four': boatPage('Dufour 40'),
    });
    const first = await crawlSite(url);
    expect(titles(first)).toEqual(['Bavaria 37', 'Dehler 34', 'Dufour 40', 'Hanse 341']);
    expect(first.verified).toEqual([]);
    const again = await crawlSite(url, {}, knownFrom(first));
    expect(titles(again)).toEqual(['Dehler 34', 'Dufour 40']);
    expect(again.verified.toSorted()).toEqual([`${url}/boats/one`, `${url}/boats/two`]);
    expect(again.counts).toEqual({ pages_fetched: 5 });
    expect(hits.get('/boats/four')).toBe(2);
  });

  test('a page that changed is read, and one that answers 304 unasked has failed', async () => {
    const { url } = await site({
      '/boats': listPage(['/boats/one', '/boats/odd']),
      '/boats/one': versioned(boatPage('Bavaria 37 Cruiser'), 'etag', '"2"', 'if-none-match'),
      '/boats/odd': { status: 304 },
    });
    const known: KnownPage = { record: `${url}/boats/one`, etag: '"1"', readAt: 0, links: [] };
    const ports = { readPage: async (page: string) => (page.endsWith('one') ? known : undefined) };
    const crawled = await crawlSite(url, {}, { ports });
    expect(titles(crawled)).toEqual(['Bavaria 37 Cruiser']);
    expect(crawled.verified).toEqual([]);
    expect(crawled.counts).toEqual({ pages_fetched: 2, pages_failed: 1 });
  });
});

describe('sitemaps', () => {
  test('an index, a gzipped one and a plain one lead to pages; they use none of max_pages', async () => {
    const routes: Record<string, Route> = {};
    const { url, hits } = await site(routes);
    Object.assign(routes, {
      '/sitemap.xml': `<sitemapindex><sitemap><loc>${url}/a.xml.gz</loc></sitemap><sitemap><loc>${url}/b.xml</loc></sitemap>
        <sitemap><loc>${url}/sitemap.xml</loc></sitemap><sitemap><loc>https://elsewhere.example/c.xml</loc></sitemap></sitemapindex>`,
      '/a.xml.gz': {
        headers: { 'content-type': 'application/gzip' },
        body: gzipSync(urlset([`${url}/boats/one`], [`${url}/about`])),
      },
      '/b.xml': urlset([`${url}/boats/two`], ['https://elsewhere.example/boats/three']),
      '/boats/one': boatPage('Bavaria 37'),
      '/boats/two': boatPage('Hanse 341'),
    });
    const crawled = await crawlSite(url, { start_urls: [`${url}/sitemap.xml`], max_pages: 2 });
    expect(crawled.end).toEqual({ outcome: 'finished' });
    expect(titles(crawled)).toEqual(['Bavaria 37', 'Hanse 341']);
    expect(crawled.counts).toEqual({ pages_fetched: 5 });
    expect(hits.get('/about')).toBeUndefined();
    expect(hits.get('/sitemap.xml')).toBe(1);
  });

  test('robots.txt as a start names the sitemaps of a site', async () => {
    const routes: Record<string, Route> = {};
    const { url } = await site(routes);
    routes['/robots.txt'] = `User-agent: *\nSitemap: ${url}/map.xml`;
    routes['/map.xml'] = urlset([`${url}/boats/one`]);
    routes['/boats/one'] = boatPage('Bavaria 37');
    expect(titles(await crawlSite(url, { start_urls: [`${url}/robots.txt`] }))).toEqual(['Bavaria 37']);
  });

  test('what changed last comes first, and what has not changed since it was read is not asked for', async () => {
    const routes: Record<string, Route> = {};
    const { url, hits } = await site(routes);
    for (const name of ['old', 'new', 'newer']) routes[`/boats/${name}`] = boatPage(`Boat ${name}`);
    routes['/sitemap.xml'] = urlset(
      [`${url}/boats/old`, '2020-01-01'],
      [`${url}/boats/new`, '2025-06-01'],
      [`${url}/boats/newer`, '2026-06-01'],
    );
    const spec = { start_urls: [`${url}/sitemap.xml`], requests_per_minute: 5 };
    const first = await crawlSite(url, spec);
    expect(first.records.map(({ title }) => title)).toEqual(['Boat newer', 'Boat new', 'Boat old']);
    const again = await crawlSite(url, { ...spec, max_pages: 1 }, knownFrom(first));
    expect(titles(again)).toEqual(['Boat newer']);
    expect(again.listed.toSorted()).toEqual([`${url}/boats/new`, `${url}/boats/old`]);
    expect(again.verified).toEqual([]);
    expect(hits.get('/boats/old')).toBe(1);
  });

  test.each<[string, Route]>([
    ['a page', listPage([])],
    ['no gzip', { body: Buffer.from([0x1f, 0x8b, 1, 2, 3]) }],
    ['a bomb', { body: gzipSync(Buffer.alloc(60 * 1_048_576)) }],
  ])('one that is %s makes a failed crawl that says so', async (_, route) => {
    const { url } = await site({ '/sitemap.xml': route });
    const { end } = await crawlSite(url, { start_urls: [`${url}/sitemap.xml`] });
    expect(end).toEqual({ outcome: 'failed', reason: expect.stringMatching(/no sitemap|cannot be unpacked/) });
  });
});

describe('what is wrong with a site', () => {
  test('a wrong encoding is told, three times at most', async () => {
    const page = (name: string) => ({
      headers: { 'content-type': 'text/html; charset=windows-1252' },
      body: Buffer.from(boatPage(`Möwe ${name}`), 'utf8'),
    });
    const names = ['a', 'b', 'c', 'd', 'e'];
    const routes: Record<string, Route> = { '/boats': listPage(names.map((name) => `/boats/${name}`)) };
    for (const name of names) routes[`/boats/${name}`] = page(name);
    const { url } = await site(routes);
    const crawled = await crawlSite(url);
    expect(titles(crawled)).toEqual(names.map((name) => `Möwe ${name}`));
    expect(crawled.errors.map(({ message }) => message)).toEqual(
      Array(3).fill("The page calls its encoding 'windows-1252', but it was read as utf-8."),
    );
  });

  test('a certificate that nobody vouches for ends the crawl, and is told', async () => {
    const pem = (name: string) => readFileSync(new URL(`../../fixtures/self-signed-${name}.pem`, import.meta.url));
    const server = createServer({ key: pem('key'), cert: pem('cert') }, (_, response) => response.end('<p>hello'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    open.push({ close: async () => void server.close() });
    const { port } = server.address() as { port: number };
    const { end } = await crawlSite(`https://127.0.0.1:${port}`, { respect_robots: false });
    const reason = expect.stringContaining('The certificate of the site is not valid');
    expect(end).toEqual({ outcome: 'failed', reason });
  });

  test('a site that speaks no TLS ends the crawl, and is told', async () => {
    const { url } = await site({ '/boats': listPage([]) });
    const { end } = await crawlSite(url.replace('http:', 'https:'), { respect_robots: false });
    expect(end).toEqual({ outcome: 'failed', reason: expect.stringContaining('The site speaks no proper TLS') });
  });
});

test('no more than eight requests are under way at a host, however many crawls there are', async () => {
  let underWay = 0;
  let most = 0;
  const slow: Route = (_request, response) => {
    underWay += 1;
    most = Math.max(most, underWay);
    setTimeout(() => {
      underWay -= 1;
      response.setHeader('content-type', 'text/html').end(boatPage(`Boat ${Math.random()}`));
    }, 250);
  };
  const links = Array.from({ length: 12 }, (_, i) => `/boats/b${i}`);
  const routes: Record<string, Route> = { '/boats': listPage(links) };
  for (const link of links) routes[link] = slow;
  const { url } = await site(routes);
  const sleep = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));
  const ports = { now: Date.now, pace: createPace(Date.now), sleep };
  const crawls = await Promise.all([1, 2].map(() => crawlSite(url, {}, { ports })));
  expect(crawls.map(({ records }) => records.length)).toEqual([12, 12]);
  expect(most).toBeGreaterThan(4);
  expect(most).toBeLessThanOrEqual(8);
});
