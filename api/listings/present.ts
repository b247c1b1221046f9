import type { Catalog } from '../../shared/catalog/tree.ts';
import type { Clock } from '../../shared/kit/clock.ts';
import { readBoat } from '../../shared/listings/boat.ts';
import type { CardRow, ListingRow, StoredImage } from '../../shared/listings/card.ts';
import { convertPrice, type Conversion } from '../../shared/rates/conversion.ts';
import type { FacetValue } from '../../shared/search/postgres/facet.ts';
import type { FacetCounts } from '../../shared/search/postgres/facets.ts';
import type { Caller } from '../http/authenticate.ts';
import type { Links } from '../http/links.ts';
import type { Result } from '../http/types.ts';
import { maySeeModeration } from './visibility.ts';

export type Listing = Result<'createListing', 201>;
type SearchPage = Exclude<Result<'searchListings', 200>, string>;
export type ListingItem = Extract<SearchPage['results'][number], { slug: string }>;

/** What an answer depends on beside the row: the tree, the way the request came in, its locale, the time, who asks, and in what currency. */
export type View = {
  catalog: Catalog;
  links: Links;
  locale: string;
  now: Date;
  caller?: Caller | undefined;
  conversion?: Conversion | undefined;
};

/** The view of one request, for presentCard and presentListing. */
export function viewOf(
  services: { catalog: Catalog; clock: Clock },
  request: Omit<View, 'catalog' | 'now' | 'conversion'>,
): View {
  const { links, locale, caller } = request;
  return { catalog: services.catalog, links, locale, now: services.clock.now(), caller };
}

/** A listing as lists show it: ListingItem of openapi.yaml. */
export function presentCard(row: CardRow, view: View): ListingItem {
  return {
    id: row.id,
    slug: row.slug,
    title: row.title,
    description: row.description,
    category: presentCategory(row.category_id, view),
    condition: row.condition as ListingItem['condition'],
    type: row.type as ListingItem['type'],
    price: {
      amount: row.price_amount,
      currency: row.price_currency,
      negotiable: row.price_negotiable,
      vat_included: row.price_vat_included ?? undefined,
      vat_rate: row.price_vat_rate ?? undefined,
      converted:
        view.conversion && convertPrice({ amount: row.price_amount, currency: row.price_currency }, view.conversion),
    },
    location: {
      country: row.country,
      city: row.city,
      shipping: row.shipping,
      postal_code: row.postal_code ?? undefined,
      lat: row.lat ?? undefined,
      lng: row.lng ?? undefined,
      country_name: row.country_name ?? undefined,
      region: row.region ?? undefined,
      marina: row.marina ?? undefined,
    },
    images: row.images.map((image) => presentImage(image, view.links)),
    attributes: row.attributes,
    seller: {
      id: row.seller_id,
      name: row.seller_name,
      type: row.seller_type as ListingItem['seller']['type'],
      verified: row.seller_verified,
      member_since: iso(row.seller_since).slice(0, 10),
    },
    status: row.status as ListingItem['status'],
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
    expires_at: iso(row.expires_at),
    views: row.views,
    tags: row.tags,
    meta: { source: row.source as ListingItem['meta']['source'], language: row.language },
    premium: presentPremium(row, view.now),
  };
}

/** The facets of a search as ListingSearchResponse has them: categories with their names. */
export function presentFacets(
  { values, histograms, approximate }: FacetCounts,
  { catalog, locale }: Pick<View, 'catalog' | 'locale'>,
): Pick<SearchPage, 'facets' | 'facets_approximate'> {
  const named = (name: string, found: FacetValue[]) =>
    name === 'category' ? found.map((each) => ({ ...each, label: catalog.localizedName(each.value, locale) })) : found;
  return {
    facets: {
      ...Object.fromEntries([...values].map(([name, found]) => [name, named(name, found)])),
      ...Object.fromEntries(histograms),
    },
    ...(approximate.length > 0 && { facets_approximate: approximate }),
  };
}

/** A listing in full: Listing of openapi.yaml, with long_description, boat and the origin of a scraped one. */
export function presentListing(row: ListingRow, view: View): Listing {
  const card = presentCard(row, view);
  const boat = presentBoat(row, view.locale);
  const { seller_trader: trader } = row;
  return {
    ...card,
    ...(trader && { seller: { ...card.seller, trader: { ...trader, certified_at: iso(trader.certified_at) } } }),
    long_description: row.long_description,
    price: { ...card.price, price_history: boat?.price_history },
    boat,
    merged_into: row.merged_into ?? undefined,
    meta: {
      ...card.meta,
      origin: presentOrigin(row),
      last_verified_at: row.origin_verified_at === null ? undefined : iso(row.origin_verified_at),
    },
    moderation: maySeeModeration(row, view.caller) ? presentModeration(row.moderation) : undefined,
  };
}

/** Boat of openapi.yaml, with the sources of what was merged into it and what was rewritten for the locale. */
function presentBoat(row: ListingRow, locale: string): Listing['boat'] {
  const facts: Listing['boat'] = { ...readBoat(row), ...(row.sources && { source: row.sources }) };
  if (Object.keys(facts).length === 0) return undefined;
  return { ...facts, ...((row.rewritten || row.rewritten_seo) && { seo: presentSeo(row, locale) }) };
}

type Seo = NonNullable<NonNullable<Listing['boat']>['seo']>;

/** BoatSeo of openapi.yaml: what was rewritten for the locale. */
function presentSeo(row: ListingRow, locale: string): Seo {
  const { rewritten_seo: written, rewritten, title, description } = row;
  const content = {
    ...(rewritten && { title, description }),
    ...(written && { meta_title: written.meta_title, meta_description: written.meta_description }),
  };
  return { ...written, rewritten_content: { [locale]: content } };
}

/** PremiumStatusResponse of openapi.yaml: a promotion is over at the very moment of its `until`. */
export function presentPremium(
  { premium_type: type, premium_until: until }: Pick<CardRow, 'premium_type' | 'premium_until'>,
  now: Date,
): ListingItem['premium'] {
  if (type === null || until === null) return { type: 'none', until: null, active: false };
  const end = iso(until);
  if (end <= now.toISOString()) return { type: 'none', until: null, active: false };
  return { type: type as ListingItem['premium']['type'], until: end, active: true };
}

/** CategoryRef of openapi.yaml: the names, in the view's locale, from the root to the category. */
export function presentCategory(
  id: string,
  { catalog, locale }: Pick<View, 'catalog' | 'locale'>,
): ListingItem['category'] {
  const path = catalog.path(id).map((ancestor) => catalog.localizedName(ancestor, locale));
  return { id: catalog.find(id)?.id ?? id, name: path.at(-1) ?? id, path: path.length > 0 ? path : [id] };
}

/** Image of openapi.yaml, with absolute addresses; one of our own images comes with its thumbnail. */
export function presentImage({ key, url, alt }: StoredImage, links: Links): ListingItem['images'][number] {
  if (key === undefined) return { url: url ?? '', alt: alt ?? undefined };
  return {
    url: `${links.static}/${key}`,
    alt: alt ?? undefined,
    thumbnail_url: `${links.static}/${key.slice(0, -'.webp'.length)}-thumb.webp`,
  };
}

function presentModeration(moderation: ListingRow['moderation']): Listing['moderation'] {
  if (moderation === null || moderation.verdict === 'accept') return undefined;
  return { verdict: moderation.verdict, reasons: moderation.reasons };
}

function presentOrigin(row: ListingRow): Listing['meta']['origin'] {
  if (row.origin_url === null || row.origin_scraped_at === null) return undefined;
  return {
    url: row.origin_url,
    normalized_url: row.origin_normalized_url ?? row.origin_url,
    site: row.origin_site ?? new URL(row.origin_url).hostname,
    scraped_at: iso(row.origin_scraped_at),
    raw_record: row.origin_raw_record ?? {},
  };
}

const iso = (at: Date | string) => (typeof at === 'string' ? at : at.toISOString());
