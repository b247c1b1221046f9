import { countryCodes, currencyCodes } from '../../shared/kit/codes.ts';
import type { Body } from '../http/types.ts';
import type { Listing } from '../listings/present.ts';
import { checkbox, field, select, firstText, type FormProblem } from './forms.ts';
import { countryName, currencyName } from './format.ts';
import { html, raw, type Markup } from './html.ts';
import { attributeFields, readAttributes } from './listing-attributes.ts';
import type { Visit } from './visit.ts';

/** Paths of the API's body, and the fields that they come from. */
export const LISTING_FIELDS = {
  'price/amount': 'price',
  'price/currency': 'currency',
  'location/country': 'country',
  'location/city': 'city',
} as const;

/** The currency that a new listing begins with where the marketplace names none. */
const FIRST_CURRENCY = 'EUR';

/**
 * Chooses the category of an ad, before its fields, which depend on it: a GET form, whose answer is the same page with the
 * fields of the category. Categories are grouped by their branches; each branch can be chosen itself.
 */
export async function categoryChoice(visit: Visit, action: string, chosen: string): Promise<Markup> {
  const { words, query } = visit;
  const { body } = await visit.perform('listCategoriesFlat', {});
  const groups = Map.groupBy(body.categories, ({ path }) => path[0] ?? '');
  const option = ({ id, name }: { id: string; name: string }) =>
    html`<option value="${id}"${id === chosen && raw(' selected')}>${name}</option>`;
  return html`<form method="get" action="${action}">
${typeof query.lang === 'string' && html`<input type="hidden" name="lang" value="${query.lang}">`}
<label>${words.search.category}<select name="category" required><option value="">–</option>
${[...groups].map(([label, members]) => html`<optgroup label="${label}">${members.map(option)}</optgroup>`)}</select></label>
<button${chosen !== '' && raw(' class="plain"')}>${words.my.choose}</button></form>`;
}

/** The category that an address asks for, with its name; undefined for none, or one that there is not. */
export function readCategory({ query, services, locale }: Visit): { id: string; name: string } | undefined {
  const category = typeof query.category === 'string' ? services.catalog.find(query.category) : undefined;
  return category && { id: category.id, name: services.catalog.localizedName(category.id, locale) };
}

/** The fields of an ad in a category, with those of its template. */
export function listingFields(visit: Visit, category: string, problem?: FormProblem, listing?: Listing): Markup {
  const { words, locale, services } = visit;
  const { currencies: offered = currencyCodes } = services.profile;
  const byName = (codes: readonly string[], nameOf: (code: string) => string) =>
    codes.map((code) => [code, nameOf(code)] as const).toSorted(([, a], [, b]) => a.localeCompare(b, locale));
  const countries = byName(
    withKnown(countryCodes, listing?.location.country),
    (code) => countryName(locale, code) || code,
  );
  const currencies = withKnown(offered, listing?.price.currency).map(
    (code) => [code, `${code} · ${currencyName(locale, code)}`] as const,
  );
  return html`<input type="hidden" name="category_id" value="${category}">
${field(visit, 'title', words.my.title, problem, { value: listing?.title, required: true, attributes: ' minlength="5" maxlength="120"' })}
${attributeFields(visit, category, problem, listing?.attributes)}
${field(visit, 'description', words.listing.description, problem, { value: listing?.description, required: true, rows: 8, attributes: ' minlength="20" maxlength="5000"', hint: words.my.descriptionHint })}
<div class="pair">${choice(visit, 'condition', words.search.condition, Object.entries(words.conditions), problem, listing?.condition ?? 'good')}
${choice(visit, 'type', words.search.type, Object.entries(words.types), problem, listing?.type ?? 'sale')}</div>
<div class="pair"><div>${field(visit, 'price', words.search.price, problem, { type: 'number', value: listing && String(listing.price.amount), required: true, attributes: ' min="0" step="any" inputmode="decimal"', hint: words.my.priceHint })}</div>
${choice(visit, 'currency', words.my.currency, currencies, problem, listing?.price.currency ?? services.profile.currencies?.[0] ?? FIRST_CURRENCY)}</div>
${checkbox(visit, 'negotiable', words.listing.negotiable, problem, listing?.price.negotiable)}
<div class="pair"><div>${field(visit, 'city', words.my.city, problem, { value: listing?.location.city, required: true, autocomplete: 'address-level2', attributes: ' maxlength="100"' })}</div>
${choice(visit, 'country', words.search.country, [['', '–'], ...countries], problem, listing?.location.country)}</div>
${checkbox(visit, 'shipping', words.listing.shipping, problem, listing?.location.shipping)}`;
}

const choice = (...[visit, name, label, options, problem, value]: Parameters<typeof select>): Markup =>
  html`<div>${select(visit, name, label, options, problem, value, true)}</div>`;

const withKnown = (codes: readonly string[], known: string | undefined) =>
  known === undefined || codes.includes(known) ? codes : [...codes, known];

/**
 * The fields of the form as the API takes them; what the form does not show of a listing (VAT, postal code, place on the map
 * while city and country stay) is sent back as it is. What is no number is left for the API to refuse.
 */
export function readListing(visit: Visit, listing?: Listing): Body<'createListing'> {
  const { form } = visit;
  const amount = firstText(form.price).trim();
  const category = firstText(form.category_id);
  const [country, city] = [firstText(form.country), firstText(form.city)];
  const isSamePlace = listing?.location.country === country && listing.location.city === city;
  return {
    title: firstText(form.title),
    description: firstText(form.description).replaceAll('\r\n', '\n'),
    category_id: category,
    condition: firstText(form.condition),
    type: firstText(form.type),
    price: {
      ...listing?.price,
      amount: amount === '' || Number.isNaN(Number(amount)) ? amount : Number(amount),
      currency: firstText(form.currency),
      negotiable: form.negotiable !== undefined,
    },
    location: {
      ...(isSamePlace && listing.location),
      country,
      city,
      shipping: form.shipping !== undefined,
    },
    attributes: readAttributes(visit, category, listing),
  } as Body<'createListing'>;
}
