import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { readHtml } from '../../shared/kit/html/charset.ts';
import { loadDocument, refusalOf, type Loaded } from './http-page.ts';
import { DAY_MS } from '../../shared/kit/clock.ts';

/** A page that a site lists, and since when it is as it is (in milliseconds). */
export type ListedPage = { url: string; lastmod: number | undefined };

/** What a sitemap lists: pages, and further sitemaps when it is an index. */
export type Sitemap = { pages: ListedPage[]; sitemaps: string[] };

/** As much as the protocol of sitemaps allows, unpacked. */
const MAX_SITEMAP_BYTES = 52_428_800;
const MAX_URL_LENGTH = 2_048;
const MAX_ENTRY_LENGTH = 6_000;

const unpack = promisify(gunzip);

/** Loads a sitemap, plain or gzipped, as `loadDocument` loads a page; every failure is an answer. */
export async function loadSitemap(
  url: string,
  source: Parameters<typeof loadDocument>[1],
  signal: AbortSignal,
): Promise<({ kind: 'sitemap' } & Sitemap) | Exclude<Loaded, { kind: 'page' }>> {
  const accept = 'application/xml,text/xml;q=0.9,text/plain;q=0.8,*/*;q=0.1';
  const response = await loadDocument(url, source, signal, { accept, maxBytes: MAX_SITEMAP_BYTES });
  if ('kind' in response) return response;
  const refusal = refusalOf(response, source.now());
  if (refusal) return refusal;
  const body = await unpacked(response.body);
  if (!body) return { kind: 'failed', message: 'The sitemap cannot be unpacked, or is too large.', retry: false };
  const sitemap = parseSitemap(readHtml(body, response.headers['content-type']).html, response.url);
  return sitemap ? { kind: 'sitemap', ...sitemap } : { kind: 'failed', message: 'This is no sitemap.', retry: false };
}

async function unpacked(body: Buffer): Promise<Buffer | undefined> {
  if (body[0] !== 0x1f || body[1] !== 0x8b) return body;
  return unpack(body, { maxOutputLength: MAX_SITEMAP_BYTES }).catch(() => undefined);
}

/**
 * Reads a sitemap of any kind (XML, an index of sitemaps, RSS or Atom, a text of URLs, the `Sitemap:` lines of robots.txt);
 * undefined for anything else. What is malformed is left out, and nothing throws. (Crawlee's `parseSitemap` reads no RSS and no
 * Atom, throws at a bare ampersand and at a cut end, and takes 44 s for 20,000 pages in place of .05.)
 */
export function parseSitemap(text: string, base: string): Sitemap | undefined {
  const body = text.replace(/^\uFEFF/, '');
  const root = /<(?:\w+:)?(urlset|sitemapindex|rss|feed)\b/i.exec(body.slice(0, 8_192))?.[1]?.toLowerCase();
  if (root === 'sitemapindex') return { pages: [], sitemaps: entriesOf(body, 'sitemap', base).map(({ url }) => url) };
  if (root === 'urlset') return { pages: entriesOf(body, 'url', base), sitemaps: [] };
  if (root === 'rss') return { pages: entriesOf(body, 'item', base), sitemaps: [] };
  if (root === 'feed') return { pages: entriesOf(body, 'entry', base), sitemaps: [] };
  if (/^\s*</.test(body)) return undefined;
  return parseLines(body, base);
}

const OPENINGS = {
  sitemap: /<(?:\w{1,20}:)?sitemap(?:\s[^<>]*)?>/i,
  url: /<(?:\w{1,20}:)?url(?:\s[^<>]*)?>/i,
  item: /<(?:\w{1,20}:)?item(?:\s[^<>]*)?>/i,
  entry: /<(?:\w{1,20}:)?entry(?:\s[^<>]*)?>/i,
};
const TEXTS = {
  loc: /<loc(?:\s[^<>]*)?>([^<]*)/i,
  link: /<link(?:\s[^<>]*)?>([^<]*)/i,
  lastmod: /<lastmod(?:\s[^<>]*)?>([^<]*)/i,
  updated: /<updated(?:\s[^<>]*)?>([^<]*)/i,
  pubDate: /<pubDate(?:\s[^<>]*)?>([^<]*)/i,
};

/** Cut at every beginning of an entry, so that what is never closed costs no more than what is. */
function entriesOf(body: string, element: keyof typeof OPENINGS, base: string): ListedPage[] {
  const entries = body.split(OPENINGS[element]).slice(1);
  return entries.flatMap((rest) => {
    const entry = rest.slice(0, MAX_ENTRY_LENGTH).replaceAll(/<!\[CDATA\[|\]\]>/g, '');
    const url = absolute(textOf(entry, 'loc') ?? textOf(entry, 'link') ?? hrefOf(entry), base);
    const changed = textOf(entry, 'lastmod') ?? textOf(entry, 'updated') ?? textOf(entry, 'pubDate');
    return url === undefined ? [] : [{ url, lastmod: timeOf(changed) }];
  });
}

function parseLines(body: string, base: string): Sitemap | undefined {
  const lines = body.split(/\r?\n/).map((line) => line.trim());
  const sitemaps = lines.flatMap((line) => absolute(/^sitemap\s*:\s*(\S+)/i.exec(line)?.[1], base) ?? []);
  const pages = lines.flatMap((line) => (/^https?:\/\/\S+$/i.test(line) ? (absolute(line, base) ?? []) : []));
  if (sitemaps.length + pages.length === 0) return undefined;
  return { pages: pages.map((url) => ({ url, lastmod: undefined })), sitemaps };
}

/** The element's own text; `image:loc` and the like are other elements. */
function textOf(entry: string, name: keyof typeof TEXTS): string | undefined {
  const text = TEXTS[name].exec(entry)?.[1];
  return text === undefined || text.trim() === '' ? undefined : unescape(text.trim());
}

const hrefOf = (entry: string) =>
  (entry.match(/<link\b[^<>]*/gi) ?? []).flatMap((link) => /\bhref\s*=\s*["']([^"']+)["']/i.exec(link)?.[1] ?? [])[0];

const entities = new Map(Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", '#38': '&', '#x26': '&' }));
const unescape = (text: string) =>
  text.replaceAll(
    /&(amp|lt|gt|quot|apos|#38|#x26);/gi,
    (whole, name: string) => entities.get(name.toLowerCase()) ?? whole,
  );

function absolute(text: string | undefined, base: string): string | undefined {
  if (text === undefined || text.length > MAX_URL_LENGTH) return undefined;
  const url = URL.parse(text, base);
  return url && /^https?:$/.test(url.protocol) ? url.href : undefined;
}

/** A day is meant to its end. */
function timeOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const at = Date.parse(text);
  if (Number.isNaN(at)) return undefined;
  return /^\d{4}-\d{2}-\d{2}$/.test(text) ? at + DAY_MS : at;
}
