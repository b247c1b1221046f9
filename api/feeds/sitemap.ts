import { notFound } from '../../shared/kit/errors.ts';
import { urlTo } from '../../shared/kit/site-links.ts';
import { countSitemapPages, readSitemapPage, readSitemapRentals } from '../../shared/listings/sitemap.ts';
import type { Handler } from '../handler.ts';
import { html, type Markup } from '../pages/html.ts';
import type { Services } from '../services.ts';
import { renderXml } from './xml.ts';

const NAMESPACE = 'http://www.sitemaps.org/schemas/sitemap/0.9';
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
  if (urls.length === 0) throw notFound('sitemap', name);
  return { status: 200, body: { text: renderXml(html`<urlset xmlns="${NAMESPACE}">\n${urls}</urlset>`), type: XML } };
};

const entry = (loc: string, changedAt?: Date): Markup =>
  html`<url><loc>${loc}</loc>${changedAt && html`<lastmod>${changedAt.toISOString()}</lastmod>`}</url>
`;

async function listingPages({ pool, config: { site } }: Services, page: number): Promise<Markup[]> {
  const rows = await readSitemapPage(pool, page);
  return rows.map(({ slug, updated_at: at }) => entry(urlTo(site, 'listing', { slug }), at));
}

async function fixedPages({ pool, catalog, config: { site } }: Services, name: string): Promise<Markup[]> {
  if (name !== 'pages') return [];
  const rentals = await readSitemapRentals(pool);
  return [
    entry(urlTo(site, 'home', {})),
    entry(urlTo(site, 'search', {})),
    ...catalog.flat().map(({ id: category }) => entry(urlTo(site, 'search', { category }))),
    ...(rentals.length > 0 ? [entry(urlTo(site, 'rentals', {}))] : []),
    ...rentals.map(({ slug, updated_at: at }) => entry(urlTo(site, 'rental', { slug }), at)),
  ];
}
