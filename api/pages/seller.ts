import { fill, fillCount, formatDay, formatNumber } from './format.ts';
import { html } from './html.ts';
import type { PageHandler } from './page-handler.ts';
import { listingCards, pageLinks } from './parts.ts';

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
      content: html`<h1>${user.name}</h1>
<p class="soft">${fill(words.listing.memberSince, { date: formatDay(locale, user.created_at) })}${user.verified && ` · ${words.listing.verified}`} · ${user.total_reviews > 0 ? rating : words.seller.noReviews}</p>
<h2>${fillCount(locale, words.seller.listings, listings.pagination.total)}</h2>
${listingCards(visit, listings.results)}
${pageLinks(visit, listings.pagination, (number) => href('seller', { ...params, page: String(number) }))}
${
  reviews.results.length > 0 &&
  html`<h2>${words.seller.reviews}</h2><ul class="rows">${reviews.results.map(
    ({ rating: stars, comment, reviewer, created_at: at, reply }) =>
      html`<li class="panel"><p><strong>${'★'.repeat(stars)}<span class="soft">${'★'.repeat(5 - stars)}</span></strong> ${reviewer.name} · ${formatDay(locale, at)}</p>
${comment && html`<p class="prose">${comment}</p>`}${reply && html`<p class="note"><strong>${words.seller.reply}</strong> ${reply.text}</p>`}</li>`,
  )}</ul>`
}`,
    },
  };
};
