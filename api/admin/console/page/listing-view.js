import { formatMoney } from './format.js';
import { html } from './html.js';

/** An address as a link may have it; undefined for any that is not of the web. */
export function webAddress(text) {
  const url = URL.parse(text);
  return url && (url.protocol === 'https:' || url.protocol === 'http:') ? url.href : undefined;
}

/** The pictures of a listing as thumbnails, each a link to the whole picture. */
export function Pictures({ listing, most = 10 }) {
  const shown = listing.images.slice(0, most).filter(({ url }) => webAddress(url));
  if (shown.length === 0) return html`<p class="pictures-none">No pictures</p>`;
  return html`<ul class="pictures" aria-label=${`Pictures of ${listing.title}`}>
    ${shown.map(
      ({ url, thumbnail_url: thumbnail, alt }, index) =>
        html`<li key=${url}>
          <a href=${webAddress(url)} target="_blank" rel="noopener noreferrer">
            <img
              src=${webAddress(thumbnail ?? url)}
              alt=${alt || `Picture ${index + 1}`}
              loading="lazy"
              decoding="async"
              referrerpolicy="no-referrer"
            />
          </a>
        </li>`,
    )}
    ${listing.images.length > shown.length && html`<li class="faint">+ ${listing.images.length - shown.length}</li>`}
  </ul>`;
}

const measures = new Intl.NumberFormat('en', { maximumFractionDigits: 2 });
const wordOf = (value) => (value === undefined || value === null || value === '' ? undefined : String(value));
const metres = (value) =>
  Number.isFinite(Number(value)) && value ? `${measures.format(Number(value))} m` : wordOf(value);

/** The price of a listing in words. */
export const priceOf = ({ price }) => (price.amount === 0 ? 'On request' : formatMoney(price.amount, price.currency));

/** Where a thing is, as far as it is told. */
export const placeOf = ({ location }) =>
  [location.marina, location.city, location.region, location.country_name ?? location.country]
    .filter(Boolean)
    .join(', ');

/** What is told of a listing in a few words each: `[name, text]`, in one order for all; undefined is not told. */
export function factsOf(listing) {
  const { attributes = {} } = listing;
  return [
    ['Price', priceOf(listing)],
    ['Make', wordOf(attributes.brand)],
    ['Model', wordOf(attributes.model)],
    ['Year', wordOf(attributes.year)],
    ['Length', metres(attributes.length)],
    ['Condition', listing.condition.replaceAll('_', ' ')],
    ['Category', listing.category.path.join(' › ')],
    ['Place', placeOf(listing)],
  ];
}

/** Whom a listing is from. */
export const sellerOf = ({ seller, meta }) =>
  `${seller.name}${seller.verified ? ', verified' : ''}${meta?.source === 'scraped' ? ', scraped' : ''}`;

const moments = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });

/** A moment as its date and time, for things that are compared. */
export function Moment({ at }) {
  return at ? html`<time datetime=${at}>${moments.format(new Date(at))}</time>` : html`<span class="faint">–</span>`;
}
