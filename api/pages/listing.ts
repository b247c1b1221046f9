import type { Listing, ListingItem } from '../listings/present.ts';
import { readSpecifications } from '../listings/specifications.ts';
import { field, select } from './forms.ts';
import { fill, formatDay, formatNumber } from './format.ts';
import { describeListing } from './json-ld.ts';
import { html, raw, type Child, type Markup } from './html.ts';
import type { PageHandler } from './page-handler.ts';
import { formGuard, listingCards, placeOf, priceOf } from './parts.ts';
import { priceChart } from './price-chart.ts';
import type { Visit } from './visit.ts';

const EXCERPT = 160;
const SIMILAR = '4';

/** One listing: photos, price and its history, facts, text, place, seller, similar ones, and what a visitor may do with it. */
export const showListing: PageHandler = async (visit) => {
  const { params, locale, words } = visit;
  const {
    body: listing,
    cacheSubject,
    effects,
  } = await visit.perform('getListing', { params: { id: params.slug ?? '' } });
  const similar = await findSimilar(visit, listing);
  const place = placeOf(locale, listing.location);
  const text = listing.description.replaceAll(/\s+/g, ' ').trim();
  return {
    tag: 'listing',
    subject: cacheSubject,
    effects,
    page: {
      title: listing.title,
      description: [priceOf(visit, listing.price), place, text].join(' · ').slice(0, EXCERPT),
      canonical: visit.url('listing', { slug: listing.slug }),
      image: listing.images[0],
      price: listing.price,
      head: describeListing(visit, listing),
      content: html`${crumbs(visit, listing)}
<article class="listing">
<div>
${gallery(visit, listing)}
</div>
<aside>
${offer(visit, listing, place)}
${seller(visit, listing)}
</aside>
<div>
${facts(visit, listing)}
<section class="panel"><h2>${words.listing.description}</h2><div class="prose" lang="${listing.meta.language}">${listing.description}${listing.long_description && listing.long_description !== listing.description ? `\n\n${listing.long_description}` : ''}</div></section>
${priceHistory(visit, listing)}
</div>
</article>
${similar.length > 0 && html`<section class="similar"><h2>${words.listing.similar}</h2>${listingCards(visit, similar)}</section>`}`,
    },
  };
};

/** Listings of the same category that fit its words, without itself. */
async function findSimilar(visit: Visit, { id, category, title, attributes }: Listing): Promise<ListingItem[]> {
  const { brand } = attributes as { brand?: unknown };
  const q = typeof brand === 'string' ? brand : title.split(/\s+/).slice(0, 2).join(' ');
  const { body } = await visit.perform('searchListings', {
    query: { category: category.id, q: q.slice(0, 100), sort: 'relevance', limit: SIMILAR },
  });
  return body.results.filter((each) => each.id !== id).slice(0, Number(SIMILAR) - 1);
}

function crumbs({ href, words }: Visit, { category }: Listing): Markup {
  return html`<nav aria-label="${words.search.category}"><ol class="crumbs">
<li><a href="${href('search', {})}">${words.nav.browse}</a></li>
<li><a href="${href('search', { category: category.id })}">${category.path.at(-1) ?? category.id}</a></li>
</ol></nav>`;
}

function gallery({ words }: Visit, { images, title }: Listing): Markup {
  if (images.length === 0)
    return html`<div class="gallery"><figure><p class="soft">${words.listing.noImage}</p></figure></div>`;
  return html`<div class="gallery" tabindex="0" role="group" aria-label="${title}">
${images.map((image, index) => {
  const alt = image.alt || fill(words.listing.photo, { n: index + 1, count: images.length });
  return html`<figure><img src="${image.url}" alt="${alt}" width="1200" height="900"${raw(index === 0 ? ' fetchpriority="high"' : ' loading="lazy" decoding="async"')}></figure>
`;
})}</div>`;
}

function offer(visit: Visit, listing: Listing, place: string): Markup {
  const { words, locale, caller, href } = visit;
  const { price, status, location, seller: owner } = listing;
  const notes = [
    price.amount > 0 && price.negotiable && words.listing.negotiable,
    price.vat_included === true && words.listing.vatIncluded,
  ].filter(Boolean);
  return html`<section class="panel">
<h1>${listing.title}</h1>
<p class="price">${priceOf(visit, price)}</p>
${notes.length > 0 && html`<p class="soft">${notes.join(' · ')}</p>`}
<p>${words.conditions[listing.condition]} · ${place}${location.shipping && ` · ${words.listing.shipping}`}</p>
${status === 'sold' && html`<p class="note">${words.listing.sold}</p>`}
${status === 'expired' && html`<p class="note">${words.listing.expired}</p>`}
${caller?.userId === owner.id ? html`<a class="button" href="${href('edit_listing', { id: listing.id })}">${words.listing.edit}</a>` : contact(visit, listing)}
<p class="soft">${fill(words.listing.published, { date: formatDay(locale, listing.created_at) })} · ${fill(words.listing.views, { count: formatNumber(locale, listing.views) })}</p>
</section>`;
}

/** Writing to the seller, favorites, sharing and reporting: forms, or the way to sign in first. */
function contact(visit: Visit, { id, slug, status }: Listing): Child {
  const { words, href, caller } = visit;
  const here = href('listing', { slug });
  if (!caller)
    return html`<p><a class="button" href="${href('sign_in', { next: here })}">${words.listing.contactSignIn}</a></p>${share(visit)}`;
  return html`${
    status === 'active' &&
    html`<form method="post" action="${here}/message">${formGuard(visit)}
<label>${words.listing.message}<textarea name="message" rows="4" required maxlength="5000"></textarea></label>
<button>${words.listing.contact}</button></form>`
  }
<form method="post" action="${here}/favorite">${formGuard(visit)}<input type="hidden" name="id" value="${id}"><button class="plain">${words.listing.favorite}</button></form>
${share(visit)}
<details><summary>${words.listing.report}</summary><form method="post" action="${here}/report">${formGuard(visit)}
${select(visit, 'reason', words.listing.reportReason, Object.entries(words.reasons), undefined)}
${field(visit, 'description', words.listing.message, undefined, { rows: 3, attributes: ' maxlength="1000"' })}<button class="plain">${words.listing.send}</button></form></details>`;
}

const share = ({ words }: Visit): Markup =>
  html`<p><button class="plain" type="button" hidden data-share="${words.listing.copied}">${words.listing.share}</button> <span role="status"></span></p>`;

function seller({ words, href, locale }: Visit, { seller: owner }: Listing): Markup {
  return html`<section class="panel"><h2>${words.listing.seller}</h2>
<p><a href="${href('seller', { id: owner.id })}">${owner.name}</a>${owner.verified && html` <span class="soft">· ${words.listing.verified}</span>`}</p>
<p class="soft">${fill(words.listing.memberSince, { date: formatDay(locale, owner.member_since) })}</p></section>`;
}

function facts({ words, services }: Visit, listing: Listing): Child {
  const rows = readSpecifications(listing, services.catalog);
  if (rows.length === 0) return undefined;
  return html`<section class="panel"><h2>${words.listing.facts}</h2><table class="facts"><tbody>
${rows.map(
  ({ label, value }) => html`<tr><th scope="row">${label}</th><td>${value}</td></tr>
`,
)}</tbody></table></section>`;
}

function priceHistory({ words, locale, services }: Visit, { price, updated_at: changedAt }: Listing): Child {
  const earlier = price.price_history ?? [];
  if (earlier.length === 0) return undefined;
  const now = { date: services.clock.now().toISOString().slice(0, 10), amount: price.amount, currency: price.currency };
  const points = [...earlier, { ...now, date: changedAt.slice(0, 10) }, now].filter(
    ({ currency, amount }) => currency === price.currency && amount > 0,
  );
  const chart = priceChart(locale, words.listing.priceHistory, points);
  return chart && html`<section class="panel"><h2>${words.listing.priceHistory}</h2>${chart}</section>`;
}
