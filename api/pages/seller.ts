import { changeBlock, personActions } from './blocks.ts';
import { fill, fillCount, formatDay, formatNumber } from './format.ts';
import { html, type Markup } from './html.ts';
import type { PageHandler } from './page-handler.ts';
import { traderBadge, traderFacts } from './trader-facts.ts';
import { requireCaller } from './visit.ts';
import { listingCards, pageLinks, readCardSizes } from './parts.ts';

/** A seller: since when, how others rate them, and what they sell. */
export const showSeller: PageHandler = async (visit) => {
  const { words, locale, href, query } = visit;
  const params = { id: visit.params.id ?? '' };
  const page = typeof query.page === 'string' ? query.page : '1';
  const [{ body: user }, { body: listings }, { body: reviews }] = await Promise.all([
    visit.perform('getUser', { params }),
    visit.perform('listUserListings', { params, query: { page, limit: '24' } }),
    visit.perform('listUserReviews', { params, query: { limit: '10' } }),
  ]);
  const rating = fillCount(locale, words.seller.rating, user.total_reviews, {
    rating: formatNumber(locale, user.avg_rating),
  });
  return {
    tag: 'listings',
    page: {
      title: user.name,
      description: fillCount(locale, words.seller.listings, user.listing_count),
      canonical: visit.url('seller', params),
      content: html`<header class="profile"><span class="initial" aria-hidden="true">${[...user.name.trim()][0]?.toUpperCase() ?? '?'}</span>
<div><h1 dir="auto">${user.name}</h1>
<p class="soft">${fill(words.listing.memberSince, { date: formatDay(locale, user.created_at) })}${user.verified && html` · <span class="verified">✓ ${words.listing.verified}</span>`}${traderBadge(visit, user.trader)}</p>
<p>${user.total_reviews > 0 ? html`${stars(user.avg_rating)} ${rating}` : words.seller.noReviews}</p></div></header>
${traderFacts(visit, user.trader)}${await personActions(visit, user.id)}
<h2>${fillCount(locale, words.seller.listings, listings.pagination.total)}</h2>
${listings.results.length > 0 ? listingCards(visit, listings.results, await readCardSizes(visit, listings.results)) : html`<div class="panel nothing"><p>${words.seller.none}</p><a class="button" href="${href('search', {})}">${words.nav.browse}</a></div>`}
${pageLinks(visit, listings.pagination, (number) => href('seller', { ...params, page: String(number) }))}
${
  reviews.results.length > 0 &&
  html`<h2>${words.seller.reviews}</h2><ul class="rows">${reviews.results.map(
    ({ id, rating: given, comment, reviewer, created_at: at, reply }) =>
      html`<li class="panel"><p>${stars(given)} <span dir="auto">${reviewer.name}</span> · ${formatDay(locale, at)}</p>
${comment && html`<p class="prose" dir="auto">${comment}</p>`}${reply && html`<p class="note"><strong>${words.seller.reply}</strong> ${reply.text}</p>`}${visit.caller && visit.caller.userId !== reviewer.id && html`<p class="small"><a class="soft" href="${href('report', { type: 'review', id })}" rel="nofollow" aria-label="${words.reports.ask}: ${reviewer.name}">${words.reports.ask}</a></p>`}</li>`,
  )}</ul>`
}`,
    },
  };
};

/** Blocks or unblocks the seller. */
export const blockSeller: PageHandler = async (visit) => {
  requireCaller(visit);
  return { location: visit.href('seller', { id: visit.params.id ?? '', done: await changeBlock(visit) }) };
};

/** A rating as stars, with the number for whoever does not see them. */
function stars(rating: number): Markup {
  const full = Math.round(rating);
  return html`<span class="stars" role="img" aria-label="${rating} / 5">${'★'.repeat(full)}<span>${'★'.repeat(5 - full)}</span></span>`;
}
