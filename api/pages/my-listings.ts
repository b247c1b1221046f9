import type { Listing, ListingItem } from '../listings/present.ts';
import type { Body } from '../http/types.ts';
import { checkbox, field, onceField, onceKey, problemNote, select, submit, textOf, type FormProblem } from './forms.ts';
import { countryName, fill, formatDay } from './format.ts';
import { html, type Child, type Markup } from './html.ts';
import type { Page } from './layout.ts';
import type { PageHandler } from './page-handler.ts';
import { formGuard, pageLinks, priceOf } from './parts.ts';
import { requireCaller, type Visit } from './visit.ts';

const STATUSES = ['active', 'draft', 'paused', 'sold', 'expired'] as const;

/** What somebody sells, by status, with what can be done about each. */
export const showMyListings: PageHandler = async (visit) => {
  requireCaller(visit);
  const { words, href, query } = visit;
  const asked = typeof query.status === 'string' ? query.status : '';
  const status = STATUSES.find((each) => each === asked);
  const page = typeof query.page === 'string' ? query.page : '1';
  const { body } = await visit.perform('listMyListings', { query: { limit: '24', page, ...(status && { status }) } });
  return {
    page: {
      title: words.nav.myListings,
      content: html`<h1>${words.nav.myListings}</h1>
<p class="stack"><a class="button" href="${href('sell', {})}">${words.nav.sell}</a>
<a href="${href('my_listings', {})}">${words.my.all}</a>
${STATUSES.map(
  (each) => html`<a href="${href('my_listings', { status: each })}">${words.statuses[each]}</a>
`,
)}</p>
${body.results.length === 0 ? html`<p class="note">${words.my.none}</p>` : html`<ul class="rows">${body.results.map((item) => row(visit, item))}</ul>`}
${pageLinks(visit, body.pagination, (number) => href('my_listings', { status: asked, page: String(number) }))}`,
    },
  };
};

function row(visit: Visit, item: ListingItem): Markup {
  const { words, href, locale } = visit;
  const [image] = item.images;
  return html`<li class="panel"><div class="stack">
${image && html`<img src="${image.thumbnail_url ?? image.url}" alt="" width="96" height="72" loading="lazy">`}
<div><h3><a href="${href('edit_listing', { id: item.id })}">${item.title}</a></h3>
<p class="soft">${words.statuses[item.status as keyof typeof words.statuses] ?? item.status} · ${priceOf(visit, item.price)} · ${fill(words.my.until, { date: formatDay(locale, item.expires_at) })}</p></div>
</div></li>`;
}

/** The form of a new listing. */
export const showSell: PageHandler = async (visit) => {
  requireCaller(visit);
  return { page: await sellPage(visit) };
};

/** Stores a new listing as a draft and goes on to its page, where photos are added and it is published. */
export const sell: PageHandler = async (visit) => {
  requireCaller(visit);
  return submit(
    async () => {
      const { body } = await visit.perform('createListing', {
        body: readListing(visit),
        idempotencyKey: onceKey(visit),
      });
      return { location: visit.href('edit_listing', { id: body.id }) };
    },
    async (problem) => sellPage(visit, problem),
    FIELDS,
  );
};

async function sellPage(visit: Visit, problem?: FormProblem): Promise<Page> {
  const { words, href } = visit;
  return {
    title: words.nav.sell,
    content: html`<div class="narrow"><h1>${words.nav.sell}</h1>${problemNote(problem)}
<form method="post" action="${href('sell', {})}">${formGuard(visit)}${onceField()}
${await listingFields(visit, problem)}
<button>${words.my.create}</button></form></div>`,
  };
}

/** Everything about one's own listing: photos, texts, and its way from draft to sold. */
export const showEditListing: PageHandler = async (visit) => {
  requireCaller(visit);
  return { page: await editPage(visit) };
};

/** Does what one of the forms of the page asks for. */
export const editListing: PageHandler = async (visit) => {
  requireCaller(visit);
  const id = visit.params.id ?? '';
  const here = visit.href('edit_listing', { id });
  return submit(
    async () => {
      await act(visit, id, textOf(visit.form.action));
      return { location: textOf(visit.form.action) === 'delete' ? visit.href('my_listings', {}) : here };
    },
    async (problem) => editPage(visit, problem),
    FIELDS,
  );
};

async function act(visit: Visit, id: string, action: string): Promise<void> {
  const params = { id };
  const idempotencyKey = onceKey(visit);
  switch (action) {
    case 'publish':
      await visit.perform('publishListing', { params, idempotencyKey });
      return;
    case 'pause':
      await visit.perform('setListingStatus', { params, body: { status: 'paused' }, idempotencyKey });
      return;
    case 'resume':
      await visit.perform('setListingStatus', { params, body: { status: 'active' }, idempotencyKey });
      return;
    case 'sold':
      await visit.perform('markListingSold', { params, body: {}, idempotencyKey });
      return;
    case 'renew':
      await visit.perform('renewListing', { params, idempotencyKey });
      return;
    case 'delete':
      await visit.perform('deleteListing', { params, idempotencyKey });
      return;
    case 'remove-image': {
      const { body } = await visit.perform('getListing', { params });
      const images = body.images.filter(({ url }) => url !== textOf(visit.form.url));
      await visit.perform('updateListing', { params, body: { images }, idempotencyKey });
      return;
    }
    default:
      await visit.perform('updateListing', { params, body: readListing(visit), idempotencyKey });
  }
}

async function editPage(visit: Visit, problem?: FormProblem): Promise<Page> {
  const { words, href, params } = visit;
  const { body: listing } = await visit.perform('getListing', { params: { id: params.id ?? '' } });
  return {
    title: listing.title,
    content: html`<div class="narrow"><h1>${listing.title}</h1>
<p class="soft">${words.statuses[listing.status as keyof typeof words.statuses] ?? listing.status} · <a href="${href('listing', { slug: listing.slug })}">${words.my.view}</a></p>
${problemNote(problem)}
${steps(visit, listing)}
${photos(visit, listing)}
<section class="panel"><h2>${words.my.text}</h2>
<form method="post">${formGuard(visit)}${onceField()}
${await listingFields(visit, problem, listing)}
<button>${words.my.save}</button></form></section>
</div>`,
  };
}

/** The next steps of a listing by its status, each a form of one button. */
function steps(visit: Visit, { status, id }: Listing): Markup {
  const { words, href } = visit;
  const button = (action: string, label: string, isPlain = true) =>
    html`<form method="post">${formGuard(visit)}${onceField()}<input type="hidden" name="action" value="${action}"><button${isPlain && html` class="plain"`}>${label}</button></form>`;
  return html`<div class="stack panel">
${status === 'draft' && button('publish', words.my.publish, false)}
${status === 'active' && html`<a class="button" href="${href('promote', { id })}">${words.my.promote}</a>`}
${status === 'active' && button('sold', words.my.sold)}
${status === 'active' && button('pause', words.my.pause)}
${status === 'paused' && button('resume', words.my.resume, false)}
${(status === 'active' || status === 'expired') && button('renew', words.my.renew)}
${button('delete', words.my.delete)}
</div>`;
}

function photos(visit: Visit, { images, id }: Listing): Markup {
  const { words, href, csrfToken } = visit;
  // The signature is in the address: a form with files is read only once it is known to be one's own.
  const action = `${href('edit_listing', { id })}/photos?_csrf=${csrfToken}`;
  return html`<section class="panel"><h2>${words.my.photos}</h2>
<ul class="thumbs">${images.map(
    ({ url, thumbnail_url: small }, index) =>
      html`<li><img src="${small ?? url}" alt="${fill(words.listing.photo, { n: index + 1, count: images.length })}" width="120" height="90" loading="lazy">
<form method="post">${formGuard(visit)}<input type="hidden" name="action" value="remove-image"><input type="hidden" name="url" value="${url}"><button class="link">${words.my.remove}</button></form></li>`,
  )}</ul>
<form method="post" enctype="multipart/form-data" action="${action}">
<label>${words.my.addPhotos}<input type="file" name="files" accept="image/*" multiple required></label>
<button class="plain">${words.my.upload}</button></form></section>`;
}

/** Paths of the API's body, and the fields that they come from. */
const FIELDS = {
  'price/amount': 'price',
  'price/currency': 'currency',
  'location/country': 'country',
  'location/city': 'city',
  category_id: 'category_id',
} as const;

const COUNTRIES = [
  'DE',
  'FR',
  'ES',
  'IT',
  'GB',
  'NL',
  'DK',
  'SE',
  'NO',
  'FI',
  'PL',
  'HR',
  'GR',
  'PT',
  'AT',
  'CH',
  'BE',
  'IE',
  'US',
  'CA',
  'AU',
  'NZ',
  'JP',
  'KR',
  'TR',
];
const CURRENCIES = ['EUR', 'GBP', 'USD', 'CHF', 'DKK', 'SEK', 'NOK', 'PLN', 'CAD', 'AUD', 'NZD', 'JPY', 'KRW', 'TRY'];

async function listingFields(visit: Visit, problem: FormProblem | undefined, listing?: Listing): Promise<Child> {
  const { words, locale } = visit;
  const { body } = await visit.perform('listCategoriesFlat', {});
  const leaves = body.categories.filter(({ id }) => body.categories.every(({ parentId }) => parentId !== id));
  const categories = leaves.map(({ id, path, name }) => [id, path.length > 0 ? path.join(' › ') : name] as const);
  const countries = [...new Set([...COUNTRIES, ...(listing ? [listing.location.country] : [])])]
    .map((code) => [code, countryName(locale, code) || code] as const)
    .toSorted(([, a], [, b]) => a.localeCompare(b, locale));
  const currencies = [...new Set([...CURRENCIES, ...(listing ? [listing.price.currency] : [])])];
  return html`${field(visit, 'title', words.my.title, problem, { value: listing?.title, required: true, attributes: ' maxlength="200"' })}
${select(visit, 'category_id', words.search.category, [['', ''], ...categories], problem, listing?.category.id)}
${field(visit, 'description', words.listing.description, problem, { value: listing?.description, required: true, rows: 8 })}
${select(visit, 'condition', words.search.condition, Object.entries(words.conditions), problem, listing?.condition ?? 'good')}
${select(visit, 'type', words.search.type, Object.entries(words.types), problem, listing?.type ?? 'sale')}
<div class="pair">${field(visit, 'price', words.search.price, problem, { type: 'number', value: listing && String(listing.price.amount), required: true, attributes: ' min="0" step="any" inputmode="decimal"', hint: words.my.priceHint })}
${select(
  visit,
  'currency',
  words.my.currency,
  currencies.map((code) => [code, code]),
  problem,
  listing?.price.currency ?? 'EUR',
)}</div>
${checkbox(visit, 'negotiable', words.listing.negotiable, problem, listing?.price.negotiable)}
<div class="pair">${field(visit, 'city', words.my.city, problem, { value: listing?.location.city, required: true, autocomplete: 'address-level2' })}
${select(visit, 'country', words.search.country, [['', ''], ...countries], problem, listing?.location.country)}</div>
${checkbox(visit, 'shipping', words.listing.shipping, problem, listing?.location.shipping)}`;
}

/** The fields of the form as the API takes them. What is no number is left for the API to refuse. */
function readListing({ form }: Visit): Body<'createListing'> {
  const amount = textOf(form.price).trim();
  return {
    title: textOf(form.title),
    description: textOf(form.description),
    category_id: textOf(form.category_id),
    condition: textOf(form.condition),
    type: textOf(form.type),
    price: {
      amount: amount === '' || Number.isNaN(Number(amount)) ? amount : Number(amount),
      currency: textOf(form.currency),
      negotiable: form.negotiable !== undefined,
    },
    location: { country: textOf(form.country), city: textOf(form.city), shipping: form.shipping !== undefined },
  } as Body<'createListing'>;
}
