import { expect, test } from 'vitest';
import { parseSitemap } from '../../../scrapers/load/sitemap.ts';
import { cpuMsOf } from '../../support/cpu-time.ts';

const base = 'https://boats.example/sitemap.xml';
const day = Date.UTC(2026, 2, 1);

test('a sitemap lists pages, each with the time of its last change', () => {
  const xml = `\uFEFF<?xml version="1.0"?><!-- made by hand -->
    <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">
      <url><image:image><image:loc>https://boats.example/1.jpg</image:loc></image:image>
        <loc> https://boats.example/1?a=1&amp;b=2 </loc><lastmod>2026-03-01</lastmod></url>
      <url><loc><![CDATA[/boats/2]]></loc><lastmod>2026-03-01T12:00:00+01:00</lastmod></url>
      <url><loc>ftp://boats.example/3</loc></url>
      <url><loc>https://boats.example/4</loc><lastmod>yesterday</lastmod></url>
    </urlset>`;
  expect(parseSitemap(xml, base)).toEqual({
    pages: [
      { url: 'https://boats.example/1?a=1&b=2', lastmod: day + 86_400_000 },
      { url: 'https://boats.example/boats/2', lastmod: day + 11 * 3_600_000 },
      { url: 'https://boats.example/4', lastmod: undefined },
    ],
    sitemaps: [],
  });
});

test.each([
  ['an index', '<sitemapindex><sitemap><loc>/a.xml.gz</loc><lastmod>2026-03-01</lastmod></sitemap></sitemapindex>'],
  ['robots.txt', 'User-agent: *\r\nDisallow: /x\r\nSitemap: https://boats.example/a.xml.gz'],
])('%s names further sitemaps', (_, text) => {
  expect(parseSitemap(text, base)).toEqual({ pages: [], sitemaps: ['https://boats.example/a.xml.gz'] });
});

test.each([
  [
    'RSS',
    '<rss><channel><link>/</link><item><link>/boats/1</link><pubDate>Sun, 01 Mar 2026 00:00:00 GMT</pubDate></item></channel></rss>',
  ],
  [
    'Atom',
    '<feed><entry><link rel="alternate" href="/boats/1"/><updated>2026-03-01T00:00:00Z</updated></entry></feed>',
  ],
])('%s lists pages too', (_, text) => {
  expect(parseSitemap(text, base)?.pages).toEqual([{ url: 'https://boats.example/boats/1', lastmod: day }]);
});

test('a text of URLs lists pages', () => {
  expect(parseSitemap('https://boats.example/1\nhttps://boats.example/2\n', base)?.pages).toHaveLength(2);
});

test.each([
  ['a page', '<!doctype html><html><body><a href="/x">x</a></body></html>'],
  ['nothing', ''],
  ['a binary', '\0\u0001\u0002PNG'],
])('%s is no sitemap', (_, text) => {
  expect(parseSitemap(text, base)).toBeUndefined();
});

test('what is never closed takes no time', () => {
  const milliseconds = cpuMsOf(() => {
    parseSitemap(`<urlset>${'<url><loc>'.repeat(300_000)}`, base);
    parseSitemap(`<urlset>${'<url '.repeat(300_000)}`, base);
    parseSitemap(`<urlset><url><loc${' '.repeat(2_000_000)}`, base);
  });
  expect(milliseconds).toBeLessThan(5_000);
});
