import type { Locale } from '../../shared/profiles/profile.ts';
import type { ListingItem } from '../listings/present.ts';
import { countryName, fill, formatMoney } from './format.ts';
import { html, raw, type Child, type Markup } from './html.ts';
import { readImageSizes, responsiveImage, type ImageSizes } from './image-sizes.ts';
import type { Visit } from './visit.ts';

/** The price of a listing as people read it. */
export function priceOf({ locale, words }: Pick<Visit, 'locale' | 'words'>, price: ListingItem['price']): string {
  if (price.amount === 0) return words.listing.onRequest;
  return formatMoney(locale, price.amount, price.currency);
}

/** City and country; either alone where the other is unknown. */
export function placeOf(locale: Locale, { city, country }: { city: string; country: string }): string {
  return [city, countryName(locale, country)].filter(Boolean).join(', ');
}

const NO_SIZES: ImageSizes = new Map();
/** How wide a card is: two beside each other on a phone. */
export const CARD_WIDTH = '(min-width: 60rem) 18rem, (min-width: 34rem) 30vw, 46vw';
/** Cards that are likely to be seen before anybody scrolls. */
const FIRST_CARDS = 2;

/** A listing as a card of a list: photo, price, title and place; the whole card leads to its page. */
export function listingCard(visit: Visit, item: ListingItem, isFirst: boolean, sizes: ImageSizes = NO_SIZES): Markup {
  const { locale, words, href } = visit;
  const { premium, highlight, images, price, status } = item;
  const [image] = images;
  const badge = premium?.active ? words.listing[premium.type === 'urgent' ? 'urgent' : 'featured'] : undefined;
  const state = status === 'sold' ? words.listing.sold : item.type === 'wanted' ? words.listing.wanted : undefined;
  const note = state ?? badge;
  const { converted } = price;
  return html`<li class="card">
<div class="photo">${image ? responsiveImage(image, sizes, { shownWidth: CARD_WIDTH, isFirst }) : noPhoto(words.listing.noImage)}</div>
<div class="text">
<p class="price">${priceOf(visit, price)}</p>
${converted && converted.currency !== price.currency && html`<p class="soft">${fill(words.listing.converted, { price: formatMoney(locale, converted.amount, converted.currency) })}</p>`}
<h3><a href="${href('listing', { slug: item.slug })}" dir="auto">${highlight?.title ? raw(highlight.title) : item.title}</a></h3>
<p class="soft">${[...factsOf(item), placeOf(locale, item.location)].filter(Boolean).join(' · ')}</p>
${highlight?.snippet && html`<p class="snippet soft" dir="auto">${raw(highlight.snippet)}</p>`}
</div>
${note && html`<span class="badge">${note}</span>`}
</li>`;
}

/** What stands for a photo where there is none. */
export const noPhoto = (text: string): Markup =>
  html`<svg class="no-photo" viewBox="0 0 48 36" aria-hidden="true"><path d="M4 4h40v28H4zM4 28l12-12 9 9 6-6 13 11"/><circle cx="33" cy="12" r="3"/></svg><span>${text}</span>`;

/** Year and length, which tell boats apart. */
export function factsOf({ attributes }: Pick<ListingItem, 'attributes'>): string[] {
  const { year, length } = attributes as { year?: unknown; length?: unknown };
  return [...(typeof year === 'number' ? [String(year)] : []), ...(typeof length === 'number' ? [`${length} m`] : [])];
}

/** Cards beside each other; of a list that is not at the head of its page none is first. */
export const listingCards = (
  visit: Visit,
  items: readonly ListingItem[],
  sizes?: ImageSizes,
  first = FIRST_CARDS,
): Markup => html`<ul class="cards">${items.map((item, index) => listingCard(visit, item, index < first, sizes))}</ul>`;

/** The sizes of the photos that cards show. */
export const readCardSizes = (visit: Visit, items: readonly Pick<ListingItem, 'images'>[]): Promise<ImageSizes> =>
  readImageSizes(
    visit,
    items.flatMap(({ images }) => images.slice(0, 1)),
  );

/** The language that the address names, as a field of a GET form: sending one replaces the query of its address. */
export const langField = ({ query, locale }: Pick<Visit, 'query' | 'locale'>): Child =>
  typeof query.lang === 'string' && html`<input type="hidden" name="lang" value="${locale}">`;

/** Links to the pages before and after this one. */
export function pageLinks(
  { words }: Pick<Visit, 'words'>,
  { page, pages }: { page: number; pages: number },
  hrefOf: (page: number) => string,
): Child {
  if (pages <= 1) return undefined;
  return html`<nav class="pages" aria-label="${fill(words.search.page, { page, pages })}">
${page > 1 && html`<a class="button plain" rel="prev" href="${hrefOf(page - 1)}">${words.search.previous}</a>`}
<span>${fill(words.search.page, { page, pages })}</span>
${page < pages && html`<a class="button plain" rel="next" href="${hrefOf(page + 1)}">${words.search.next}</a>`}
</nav>`;
}

/** Hidden fields that every form has that changes something. */
export const formGuard = ({ csrfToken }: Pick<Visit, 'csrfToken'>): Markup =>
  html`<input type="hidden" name="_csrf" value="${csrfToken}">`;
