import { html } from './html.ts';
import type { PageHandler } from './page-handler.ts';
import { listingCards, pageLinks, readCardSizes } from './parts.ts';
import { requireCaller } from './visit.ts';

/** The listings that somebody has put aside. */
export const showFavorites: PageHandler = async (visit) => {
  requireCaller(visit);
  const { words, href, query } = visit;
  const page = typeof query.page === 'string' ? query.page : '1';
  const { body } = await visit.perform('listFavorites', { query: { page, limit: '24' } });
  return {
    page: {
      title: words.nav.favorites,
      content: html`<h1>${words.nav.favorites}</h1>
${body.results.length === 0 ? html`<p class="note">${words.kept.noFavorites}</p>` : html`<h2 class="unseen">${words.search.listings}</h2>${listingCards(visit, body.results, await readCardSizes(visit, body.results))}`}
${pageLinks(visit, body.pagination, (number) => href('favorites', { page: String(number) }))}`,
    },
  };
};
