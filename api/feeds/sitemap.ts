import { setImmediate as nextTurn } from 'node:timers/promises';
import { notFound } from '../../shared/kit/errors.ts';
import { escapeHtml } from '../../shared/kit/html.ts';
import { urlTo, type Site } from '../../shared/kit/site-links.ts';
import {
  countSitemapPages,
  readSitemapPage,
  readSitemapRentals,
  type SitemapEntry,
} from '../../shared/listings/sitemap.ts';
import type { Handler } from '../handler.ts';
import { html } from '../pages/html.ts';
import type { Services } from '../services.ts';
import { renderXml } from './xml.ts';

const NAMESPACE = 'http://www.sitemaps.org/schemas/sitemap/0.9';
const CHUNK = 5_000;
export const XML = 'application/xml; charset=utf-8';

/** The sitemap index: one file of fixed pages, categories and rentals, and one for every 50,000 public listings. */
export const getSitemap: Handler<'getSitemap'> = async ({ pool }, { links }) => {
  const pages = await countSitemapPages(pool);
  const names = ['pages', ...Array.from({ length: pages }, (_, index) => `listings-${index + 1}`)];
  const text = renderXml(html`<sitemapindex xmlns="${NAMESPACE}">
${names.map(
  (name) => html`<sitemap><loc>${links.base}/sitemaps/${name}.xml</loc></sitemap>
`,
)}</sitemapindex>`);
  return { status: 200, body: { text, type: XML } };
};

/** One file of the index, of addresses on the site of the operator; 404 past the last one. */
export const getSitemapPage: Handler<'getSitemapPage'> = async (services, { params: { name } }) => {
  const page = /^listings-([1-9]\d{0,4})$/.exec(name)?.[1];
  const urls = page === undefined ? await fixedPages(services, name) : await listingPages(services, Number(page));
  if (urls === '') throw notFound('sitemap', name);
  const text = `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="${NAMESPACE}">\n${urls}</urlset>\n`;
  return { status: 200, body: { text, type: XML } };
};

const entry = (loc: string, changed?: string): string =>
  `<url><loc>${loc}</loc>${changed === undefined ? '' : `<lastmod>${changed}</lastmod>`}</url>\n`;

async function listingPages({ pool, config: { site } }: Services, page: number): Promise<string> {
  return writeEntries(site, 'listing', await readSitemapPage(pool, page));
}

async function fixedPages({ pool, catalog, config: { site } }: Services, name: string): Promise<string> {
  if (name !== 'pages') return '';
  const rentals = await readSitemapRentals(pool);
  const fixed = [
    urlTo(site, 'home', {}),
    urlTo(site, 'search', {}),
    ...catalog.flat().map(({ id: category }) => urlTo(site, 'search', { category })),
    ...(rentals.length > 0 ? [urlTo(site, 'rentals', {})] : []),
  ];
  return fixed.map((url) => entry(escapeHtml(url))).join('') + (await writeEntries(site, 'rental', rentals));
}

/** Addresses made from one pattern, in chunks between which others get their turn: a file has up to 50,000. */
async function writeEntries(site: Site, page: 'listing' | 'rental', rows: readonly SitemapEntry[]): Promise<string> {
  const [before = '', after = ''] = escapeHtml(urlTo(site, page, { slug: 'SLUG' })).split('SLUG');
  let text = '';
  for (let start = 0; start < rows.length; start += CHUNK) {
    for (const { slug, changed } of rows.slice(start, start + CHUNK))
      text += entry(`${before}${encodeURIComponent(slug)}${after}`, changed);
    await nextTurn();
  }
  return text;
}
