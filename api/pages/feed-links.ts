import { html, type Markup } from './html.ts';
import type { SearchQuery } from './search-query.ts';
import type { Visit } from './visit.ts';

/** The address of the feed of a search, of everything without one; feeds have an order of their own and no pages. */
export function feedAddress({ links }: Visit, query: SearchQuery, kind: 'atom' | 'rss' = 'atom'): string {
  const parameters = new URLSearchParams();
  for (const [name, values] of query) if (name !== 'page' && name !== 'sort') parameters.set(name, values.join(','));
  return `${links.base}/feeds/listings.${kind}${parameters.size > 0 ? `?${parameters.toString()}` : ''}`;
}

/** Links by which readers find the feeds of a search. */
export function feedLinks(visit: Visit, query: SearchQuery = new Map()): Markup {
  const title = `${visit.services.config.brand.name} · ${visit.words.search.title}`;
  return html`<link rel="alternate" type="application/atom+xml" title="${title} (Atom)" href="${feedAddress(visit, query)}">
<link rel="alternate" type="application/rss+xml" title="${title} (RSS)" href="${feedAddress(visit, query, 'rss')}">`;
}
