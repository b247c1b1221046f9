import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { parseSitemap, type Sitemap } from '../extract/sitemap.ts';
import { readHtml } from '../../shared/kit/html/charset.ts';
import type { Loaded } from './http-loaded.ts';
import { loadDocument, refusalOf } from './http-page.ts';

/** As much as the protocol of sitemaps allows, unpacked. */
const MAX_SITEMAP_BYTES = 52_428_800;

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
