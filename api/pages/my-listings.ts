import type { ListingItem } from '../listings/present.ts';
import { statusOf } from './edit-listing.ts';
import { html, raw, type Markup } from './html.ts';
import type { PageHandler } from './page-handler.ts';
import { pageLinks, priceOf } from './parts.ts';
import { requireCaller, type Visit } from './visit.ts';

const STATUSES = ['active', 'draft', 'paused', 'sold', 'expired'] as const;

/** What somebody sells, by status, with the way to each. */
export const showMyListings: PageHandler = async (visit) => {
  requireCaller(visit);
  const { words, href, query } = visit;
  const asked = typeof query.status === 'string' ? query.status : '';
  const status = STATUSES.find((each) => each === asked);
  const page = typeof query.page === 'string' ? query.page : '1';
  const { body } = await visit.perform('listMyListings', { query: { limit: '24', page, ...(status && { status }) } });
  const tab = (value: string, label: string) =>
    html`<a href="${href('my_listings', { status: value })}"${value === (status ?? '') && raw(' aria-current="page"')}>${label}</a>
`;
  return {
    page: {
      title: words.nav.myListings,
      content: html`<h1>${words.nav.myListings}</h1>
<p><a class="button" href="${href('sell', {})}">${words.nav.sell}</a></p>
<nav class="tabs" aria-label="${words.nav.myListings}">${tab('', words.my.all)}${STATUSES.map((each) => tab(each, words.statuses[each]))}</nav>
${body.results.length === 0 ? html`<p class="note">${words.my.none}</p>` : html`<ul class="rows">${body.results.map((item) => row(visit, item))}</ul>`}
${pageLinks(visit, body.pagination, (number) => href('my_listings', { status: asked, page: String(number) }))}`,
    },
  };
};

function row(visit: Visit, item: ListingItem): Markup {
  const { href } = visit;
  const [image] = item.images;
  return html`<li class="panel item">
${image && html`<img src="${image.thumbnail_url ?? image.url}" alt="" width="96" height="72" loading="lazy">`}
<div><h2><a href="${href('edit_listing', { id: item.id })}">${item.title}</a></h2>
<p class="soft">${statusOf(visit, item)} · ${priceOf(visit, item.price)}</p></div></li>`;
}
