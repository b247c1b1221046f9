import { html, type Markup } from './html.ts';
import type { SearchQuery } from './search-query.ts';
import type { Visit } from './visit.ts';

/** Links by which readers find the feeds of a search; of everything without one. */
export function feedLinks({ links, services, words }: Visit, query: SearchQuery = new Map()): Markup {
  const parameters = new URLSearchParams();
  for (const [name, values] of query) if (name !== 'page' && name !== 'sort') parameters.set(name, values.join(','));
  const search = parameters.size > 0 ? `?${parameters.toString()}` : '';
  const title = `${services.config.brand.name} · ${words.search.title}`;
  return html`<link rel="alternate" type="application/atom+xml" title="${title} (Atom)" href="${links.base}/feeds/listings.atom${search}">
<link rel="alternate" type="application/rss+xml" title="${title} (RSS)" href="${links.base}/feeds/listings.rss${search}">`;
}
