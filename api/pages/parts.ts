import type { Locale } from '../../shared/profiles/profile.ts';
import type { ListingItem } from '../listings/present.ts';
import { countryName, fill, formatMoney } from './format.ts';
import { html, raw, type Child, type Markup } from './html.ts';
import type { Visit } from './visit.ts';

type Image = { url: string; alt?: string | undefined; thumbnail_url?: string | undefined };

/** The price of a listing as people read it. */
export function priceOf({ locale, words }: Pick<Visit, 'locale' | 'words'>, price: ListingItem['price']): string {
  if (price.amount === 0) return words.listing.onRequest;
  return formatMoney(locale, price.amount, price.currency);
}

/** City and country; either alone where the other is unknown. */
export function placeOf(locale: Locale, { city, country }: { city: string; country: string }): string {
  return [city, countryName(locale, country)].filter(Boolean).join(', ');
}

/** An image at the size of a card. */
function photo(image: Image | undefined, none: string, isFirst: boolean): Markup {
  if (!image) return html`<div class="photo">${none}</div>`;
  const eager = isFirst ? raw(' fetchpriority="high"') : raw(' loading="lazy" decoding="async"');
  return html`<div class="photo"><img src="${image.thumbnail_url ?? image.url}" alt="" width="400" height="300"${eager}></div>`;
}

/** A listing as a card of a list: photo, price, title and place; the whole card leads to its page. */
export function listingCard(visit: Visit, item: ListingItem, index: number): Markup {
  const { locale, words, href } = visit;
  const { premium, highlight } = item;
  const badge = premium?.active ? words.listing[premium.type === 'urgent' ? 'urgent' : 'featured'] : undefined;
  const converted = item.price.converted;
  return html`<li class="card">
${photo(item.images[0], words.listing.noImage, index < 2)}
<div class="text">
<p class="price">${priceOf(visit, item.price)}</p>
${converted && html`<p class="soft">${fill(words.listing.converted, { price: formatMoney(locale, converted.amount, converted.currency) })}</p>`}
<h3><a href="${href('listing', { slug: item.slug })}">${item.title}</a></h3>
<p class="soft">${[factsOf(item), placeOf(locale, item.location)].filter(Boolean).join(' · ')}</p>
${highlight?.snippet && html`<p class="soft">${raw(highlight.snippet)}</p>`}
</div>
${item.type === 'wanted' ? html`<span class="badge">${words.listing.wanted}</span>` : badge && html`<span class="badge">${badge}</span>`}
</li>`;
}

/** Year and length, which tell boats apart. */
function factsOf({ attributes }: ListingItem): string {
  const { year, length } = attributes as { year?: unknown; length?: unknown };
  return [year, typeof length === 'number' ? `${length} m` : undefined].filter(Boolean).join(' · ');
}

export const listingCards = (visit: Visit, items: readonly ListingItem[]): Markup =>
  html`<ul class="cards">${items.map((item, index) => listingCard(visit, item, index))}</ul>`;

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
