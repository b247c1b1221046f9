import type { Listing } from '../listings/present.ts';
import { readSpecifications, type Specification } from '../listings/specifications.ts';
import { contactPanel, listingActions } from './listing-contact.ts';
import { fill, fillCount, formatDay, formatMoney } from './format.ts';
import { html, type Child, type Markup } from './html.ts';
import { gallery } from './gallery.ts';
import { readImageSizes } from './image-sizes.ts';
import { traderBadge, traderFacts } from './trader-facts.ts';
import { townMap } from './map/town-map.ts';
import { describeListing } from './json-ld.ts';
import type { PageHandler } from './page-handler.ts';
import { factsOf, listingCards, placeOf, priceOf } from './parts.ts';
import { priceChart, type PricePoint } from './price-chart.ts';
import { findSimilar } from '../listings/similar.ts';
import { isFavorite } from './listing-actions.ts';
import type { Visit } from './visit.ts';

const EXCERPT = 160;

/** One listing: photos, price and its history, facts, text, place, seller, similar ones, and what a visitor may do with it. */
export const showListing: PageHandler = async (visit) => {
  const { params, locale, words } = visit;
  const {
    body: listing,
    cacheSubject,
    effects,
  } = await visit.perform('getListing', { params: { id: params.slug ?? '' } });
  const similar = await findSimilar(visit, listing);
  const [sizes, isKept] = await Promise.all([
    readImageSizes(visit, [...listing.images, ...similar.flatMap(({ images }) => images.slice(0, 1))]),
    isFavorite(visit, listing),
  ]);
  const place = placeOf(locale, listing.location);
  const text = listing.description.replaceAll(/\s+/g, ' ').trim();
  const facts = readSpecifications(listing, visit.services.catalog, { locale, yesNo: words.yesNo });
  return {
    tag: 'listing',
    subject: cacheSubject,
    effects,
    page: {
      title: listing.title,
      description: [priceOf(visit, listing.price), place, text].join(' · ').slice(0, EXCERPT),
      canonical: visit.url('listing', { slug: listing.slug }),
      image: listing.images[0] && { ...listing.images[0], ...sizes.get(listing.images[0].url) },
      price: listing.price,
      head: describeListing(visit, listing, facts, sizes),
      content: html`${crumbs(visit, listing)}
<article class="listing">
${gallery(visit, listing, sizes)}
<aside>
${offer(visit, listing, place, isKept)}
${seller(visit, listing)}
</aside>
<div class="details">
${factsTable(visit, facts)}
<section class="panel"><h2>${words.listing.description}</h2><div class="prose" dir="auto" lang="${listing.meta.language}">${textOf(listing)}</div></section>
${priceHistory(visit, listing)}
${townMap(visit, listing, place)}
</div>
</article>
${similar.length > 0 && html`<section class="similar"><h2>${words.listing.similar}</h2>${listingCards(visit, similar, sizes, 0)}</section>`}`,
    },
  };
};

function textOf({ description, long_description: long }: Listing): string {
  return long && long !== description ? `${description}\n\n${long}` : description;
}

function crumbs({ href, words, services, locale }: Visit, { category }: Listing): Markup {
  const { catalog } = services;
  const path = catalog.path(category.id).filter((id) => id !== 'all');
  return html`<nav aria-label="${words.search.category}"><ol class="crumbs">
<li><a href="${href('search', {})}">${words.nav.browse}</a></li>
${path.map(
  (id) => html`<li><a href="${href('search', { category: id })}">${catalog.localizedName(id, locale)}</a></li>
`,
)}</ol></nav>`;
}

function offer(visit: Visit, listing: Listing, place: string, isKept: boolean): Markup {
  const { words, locale, caller, href } = visit;
  const { price, status, location, premium, seller: owner } = listing;
  const notes = [
    price.amount > 0 && price.negotiable && words.listing.negotiable,
    price.vat_included === true && words.listing.vatIncluded,
  ].filter(Boolean);
  const isOwn = caller?.userId === owner.id;
  return html`<section class="panel offer">
<h1 dir="auto">${listing.title}</h1>
<p class="price">${priceOf(visit, price)}${notes.length > 0 && html` <span class="soft">${notes.join(' · ')}</span>`}</p>
<ul class="marks">
${premium?.active && html`<li class="promoted">${words.listing[premium.type === 'urgent' ? 'urgent' : 'featured']}</li>`}
${[words.conditions[listing.condition], ...factsOf(listing), place, location.shipping && words.listing.shipping].map((each) => each && html`<li>${each}</li>`)}
</ul>
${status === 'sold' && html`<p class="note">${words.listing.sold}</p>`}
${status === 'expired' && html`<p class="note">${words.listing.expired}</p>`}
${isOwn ? html`<p><a class="button wide" href="${href('edit_listing', { id: listing.id })}">${words.listing.edit}</a></p>` : contactPanel(visit, listing)}
${listingActions(visit, listing, { isKept, isOwn })}
<p class="soft small">${fill(words.listing.published, { date: formatDay(locale, listing.created_at) })} · ${fillCount(locale, words.listing.views, listing.views)}</p>
</section>`;
}

function seller(visit: Visit, { seller: owner }: Listing): Markup {
  const { words, href, locale } = visit;
  return html`<section class="panel seller"><h2>${words.listing.seller}</h2>
<a class="person" href="${href('seller', { id: owner.id })}"><span class="initial" aria-hidden="true">${[...owner.name.trim()][0]?.toUpperCase() ?? '?'}</span>
<span><strong dir="auto">${owner.name}</strong>${owner.verified && html` <span class="verified">✓ ${words.listing.verified}</span>`}${traderBadge(visit, owner.trader)}
<span class="soft">${fill(words.listing.memberSince, { date: formatDay(locale, owner.member_since) })}</span></span></a>${traderFacts(visit, owner.trader)}</section>`;
}

function factsTable({ words }: Visit, facts: readonly Specification[]): Child {
  if (facts.length === 0) return undefined;
  return html`<section class="panel"><h2>${words.listing.facts}</h2><dl class="facts">
${facts.map(
  ({ label, value }) => html`<div><dt>${label}</dt><dd dir="auto">${value}</dd></div>
`,
)}</dl></section>`;
}

function priceHistory({ words, locale, services }: Visit, { price, updated_at: changedAt }: Listing): Child {
  const earlier = price.price_history ?? [];
  if (earlier.length === 0) return undefined;
  const now = { date: services.clock.now().toISOString().slice(0, 10), amount: price.amount, currency: price.currency };
  const points = [...earlier, { ...now, date: changedAt.slice(0, 10) }, now].filter(
    ({ currency, amount }) => currency === price.currency && amount > 0,
  );
  const chart = priceChart(locale, words.listing.priceHistory, points);
  return (
    chart &&
    html`<section class="panel"><h2>${words.listing.priceHistory}</h2>${priceChange(words.listing, locale, points)}${chart}</section>`
  );
}

/** How much less, or more, than at first is asked today. */
function priceChange(words: Visit['words']['listing'], locale: Visit['locale'], points: readonly PricePoint[]): Child {
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last || first.amount === last.amount) return undefined;
  const by = formatMoney(locale, Math.abs(last.amount - first.amount), last.currency);
  return html`<p class="${last.amount < first.amount ? 'cheaper' : 'soft'}">${fill(last.amount < first.amount ? words.cheaper : words.dearer, { by })}</p>`;
}
