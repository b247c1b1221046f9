import type { Listing } from '../listings/present.ts';
import type { Specification } from '../listings/specifications.ts';
import { jsonScript, type Markup } from './html.ts';
import type { ImageSizes } from './image-sizes.ts';
import type { Visit } from './visit.ts';

type Item = Record<string, unknown>;

const CONTEXT = 'https://schema.org';
const type = (name: string) => `${CONTEXT}/${name}`;

/** schema.org's OfferItemCondition has one word for everything that has been used. */
const conditions: Record<Listing['condition'], string> = {
  new: type('NewCondition'),
  like_new: type('UsedCondition'),
  good: type('UsedCondition'),
  fair: type('UsedCondition'),
  poor: type('UsedCondition'),
  refurbished: type('RefurbishedCondition'),
};

/** JSON-LD of schema.org as a data block: no browser runs it, and the policy of the pages does not ask for it. */
const jsonLd = (...items: Item[]): Markup =>
  jsonScript('application/ld+json', { '@context': CONTEXT, '@graph': items });

/** A listing: a Product with its Offer (a Vehicle where it can be driven or sailed; a Demand where it is wanted), and where it stands. */
export function describeListing(
  visit: Visit,
  listing: Listing,
  facts: readonly Specification[],
  sizes: ImageSizes,
): Markup {
  const { words, url } = visit;
  const { category } = listing;
  return jsonLd(
    productOf(visit, listing, facts, sizes),
    breadcrumbsOf(visit, [
      [words.nav.browse, url('search', {})],
      [category.path.at(-1) ?? category.id, url('search', { category: category.id })],
      [listing.title, url('listing', { slug: listing.slug })],
    ]),
  );
}

function productOf(visit: Visit, listing: Listing, facts: readonly Specification[], sizes: ImageSizes): Item {
  const { services, url } = visit;
  const { brand, model, boat_type: boatType, mileage, year } = listing.attributes as Record<string, unknown>;
  const isBoat = boatType !== undefined || services.profile.itemType === 'Vehicle';
  const address = url('listing', { slug: listing.slug });
  return {
    '@type': isBoat || mileage !== undefined ? ['Product', 'Vehicle'] : 'Product',
    '@id': address,
    url: address,
    name: listing.title,
    description: listing.description,
    sku: listing.id,
    category: listing.category.path.join(' > '),
    image: listing.images.map(({ url }) => {
      const size = sizes.get(url);
      return size ? { '@type': 'ImageObject', url, ...size } : url;
    }),
    ...(typeof brand === 'string' && { brand: { '@type': 'Brand', name: brand } }),
    ...(typeof model === 'string' && { model }),
    ...(typeof year === 'number' && { productionDate: String(year) }),
    itemCondition: conditions[listing.condition],
    additionalProperty: facts.map(({ label, value }) => ({
      '@type': 'PropertyValue',
      name: label,
      value,
    })),
    offers: offerOf(visit, listing, address),
  };
}

/** An offer without a price is one on request. */
function offerOf({ url: urlOf }: Visit, listing: Listing, url: string): Item {
  const { price, location, seller, status } = listing;
  return {
    '@type': listing.type === 'wanted' ? 'Demand' : 'Offer',
    url,
    ...(price.amount > 0 && { price: String(price.amount), priceCurrency: price.currency }),
    availability: type(status === 'active' ? 'InStock' : status === 'sold' ? 'SoldOut' : 'Discontinued'),
    itemCondition: conditions[listing.condition],
    availabilityEnds: listing.expires_at,
    seller: {
      '@type': seller.type === 'human' ? 'Person' : 'Organization',
      name: seller.name,
      url: urlOf('seller', { id: seller.id }),
    },
    availableAtOrFrom: {
      '@type': 'Place',
      address: {
        '@type': 'PostalAddress',
        addressCountry: location.country === 'ZZ' ? undefined : location.country,
        addressRegion: location.region,
        addressLocality: location.city,
        postalCode: location.postal_code,
      },
    },
  };
}

/** Where a search stands: below the front page, and in its category if it has one. */
export function describeSearch(visit: Visit, category?: { id: string; name: string }): Markup {
  const { words, url } = visit;
  return jsonLd(
    breadcrumbsOf(visit, [
      [words.nav.browse, url('search', {})],
      ...(category ? [[category.name, url('search', { category: category.id })] as const] : []),
    ]),
  );
}

/** Who runs the marketplace, and how it is searched. */
export function describeSite({ services, url, locale }: Visit): Markup {
  const { brand } = services.config;
  const home = url('home', {});
  const search = url('search', {});
  const organization = { '@type': 'Organization', '@id': `${home}#organization`, name: brand.name, url: home };
  return jsonLd(
    { ...organization, logo: brand.logoUrl },
    {
      '@type': 'WebSite',
      '@id': `${home}#website`,
      name: brand.name,
      url: home,
      inLanguage: locale,
      publisher: { '@id': organization['@id'] },
      potentialAction: {
        '@type': 'SearchAction',
        target: {
          '@type': 'EntryPoint',
          urlTemplate: `${search}${search.includes('?') ? '&' : '?'}q={search_term_string}`,
        },
        'query-input': 'required name=search_term_string',
      },
    },
  );
}

function breadcrumbsOf({ services, url }: Visit, crumbs: readonly (readonly [name: string, item: string])[]): Item {
  const all = [[services.config.brand.name, url('home', {})] as const, ...crumbs];
  return {
    '@type': 'BreadcrumbList',
    itemListElement: all.map(([name, item], index) => ({ '@type': 'ListItem', position: index + 1, name, item })),
  };
}
