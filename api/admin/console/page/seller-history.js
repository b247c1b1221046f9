import { api, withQuery } from './api.js';
import { html } from './html.js';
import { Id, Person } from './links.js';
import { priceOf } from './listing-view.js';
import { useLive } from './live.js';
import { ErrorNote, Time } from './parts.js';

const shown = 5;

async function load(id, options) {
  const [profile, listings] = await Promise.all([
    api.get(`api/users/${id}`, options),
    api.get(withQuery(`api/users/${id}/listings`, { limit: shown + 1 }), options),
  ]);
  return { profile, listings };
}

/** Who offers a listing: since when, with what ratings, and what else. */
export function SellerHistory({ seller, except }) {
  const { data, error, stale, refresh } = useLive((options) => load(seller.id, options), { inputs: [seller.id] });
  const others = stale ? [] : (data?.listings.results ?? []).filter(({ id }) => id !== except).slice(0, shown);
  return html`<section class="seller" aria-label="Seller">
    <p class="row">
      <strong><${Person} of=${seller} /></strong>
      <span class=${seller.verified ? 'badge good' : 'badge off'}
        >${seller.verified ? 'verified' : 'not verified'}</span
      >
      <span class="badge off">${seller.type}</span>
      <span class="faint">here since ${seller.member_since}</span>
    </p>
    <${ErrorNote} error=${error} retry=${refresh} />
    ${data && html`<p class="faint">${told(data.profile)}</p>`}
    ${
      others.length > 0 &&
      html`<ul class="plain">
        ${others.map(
          (listing) =>
            html`<li key=${listing.id}>
              <${Id} of=${listing.id}>${listing.title}<//> <span class="faint">${priceOf(listing)}, <${Time} at=${listing.created_at} /></span>
            </li>`,
        )}
      </ul>`
    }
  </section>`;
}

function told({ listing_count: listings, avg_rating: rating, total_reviews: reviews }) {
  const offers = listings === 1 ? '1 public listing' : `${listings} public listings`;
  const opinions =
    reviews === 0 ? 'no reviews' : `${rating.toFixed(1)} of 5 in ${reviews} ${reviews === 1 ? 'review' : 'reviews'}`;
  return `${offers}, ${opinions}`;
}
