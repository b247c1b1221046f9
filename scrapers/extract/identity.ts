import type { Page } from './page.ts';
import { resolveUrl } from './page.ts';
import type { MetaTags } from './opengraph.ts';
import type { PageIdentity } from './select-product.ts';
import { lineOf } from '../../shared/kit/html/text.ts';

/** The page's canonical address: its `rel=canonical` link when that names a page of the same site, else the address itself. */
export function canonicalUrl(page: Page): string {
  const link = page.elements.find(({ name, attribs }) => name === 'link' && /\bcanonical\b/i.test(attribs.rel ?? ''));
  const fetched = resolveUrl(page.url, page.url) ?? page.url;
  const canonical = link?.attribs.href === undefined ? undefined : resolveUrl(link.attribs.href, page.base);
  if (canonical === undefined || !URL.canParse(fetched)) return fetched;
  const own = new URL(fetched);
  const other = new URL(canonical);
  const isHome = other.pathname === '/' && other.search === '' && (own.pathname !== '/' || own.search !== '');
  return !isHome && siteOf(own) === siteOf(other) ? canonical : fetched;
}

/** How to recognise the page's own thing among the items found on it. */
export function identifyPage(page: Page, canonical: string, tags: MetaTags): PageIdentity {
  const addresses = new Set([page.url, canonical, tags.get('og:url')?.[0] ?? canonical]);
  const own = new Set([...addresses].map((url) => addressKey(url, page.base)));
  const heading = page.elements.filter(({ name }) => name === 'h1').slice(0, 5);
  const title = page.elements.find(({ name }) => name === 'title');
  const titles = [...heading, ...(title ? [title] : [])].map((element) => lineOf(element, 500));
  return {
    isOwnUrl: (url) => own.has(addressKey(url, page.base)),
    titles: [...titles, ...(tags.get('og:title') ?? []).slice(0, 1)].filter((text) => text !== ''),
  };
}

/** Two addresses are one page when host and path agree, and the query too where the path alone says nothing. */
function addressKey(link: string, base: string): string {
  const url = resolveUrl(link, base);
  if (url === undefined) return link;
  const { pathname, search } = new URL(url);
  const path = pathname.replace(/(?<!\/)\/+$/, '').toLowerCase();
  const isScript = path === '' || /\.(?:php|aspx?|jsp|cgi|mvc|dll|html?)$/.test(path);
  return siteOf(new URL(url)) + path + (isScript ? search : '');
}

function siteOf(url: URL): string {
  return url.hostname.replace(/^(?:www|m|mobile)\./, '');
}
