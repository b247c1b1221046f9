import fc from 'fast-check';
import { DAY_MS } from '../../shared/kit/clock.ts';
import type { SchemaContext } from './arbitrary.ts';
import { categoriesOf, password } from './openapi-cases-things.ts';
import type { World } from './openapi-cases-world.ts';
import { dayIn } from './recipes/rentals.ts';

const periodHints = (services: World['services']): SchemaContext['hints'] => ({
  date_from: fc.constantFrom(dayIn(services, 1), dayIn(services, 20), dayIn(services, -3)),
  date_to: fc.constantFrom(dayIn(services, 8), dayIn(services, 21), dayIn(services, 800)),
});

/** Values of fields that must name something that exists, by the field's name. */
export function hintsOf({
  services,
  owner,
  other,
}: Pick<World, 'services' | 'owner' | 'other'>): SchemaContext['hints'] {
  return {
    category_id: fc.constantFrom(...categoriesOf(services)),
    currency: fc.constantFrom('EUR', 'USD', 'GBP', 'JPY'),
    country: fc.constantFrom('DE', 'FR', 'NL', 'JP'),
    language: fc.constantFrom('en', 'de', 'fr'),
    site: fc.constant('boats.example.com'),
    ...periodHints(services),
    available_from: fc.constantFrom(dayIn(services, -30), dayIn(services, 0)),
    available_to: fc.constantFrom(dayIn(services, 30), dayIn(services, 300)),
    schedule: fc.constantFrom('30 2 * * *', '*/5 * * * 1-5', null),
    link_pattern: fc.constantFrom('/listing/\\d+$', '^https://', null),
    pagination_pattern: fc.constantFrom('[?&]page=\\d+', null),
    proxy_urls: fc.constantFrom(['http://crawler:secret@proxy.example.com:3128'], [], null),
    buyer_id: fc.constant(other.id),
    user_id: fc.constant(other.id),
    subject_id: fc.constant(other.id),
    until: fc.constantFrom(new Date(services.clock.now().getTime() + 40 * DAY_MS).toISOString(), null),
    expires_at: fc.constantFrom(new Date(services.clock.now().getTime() + 40 * DAY_MS).toISOString(), null),
    events: fc.constantFrom(['*'], ['listing.sold', 'message.received']),
    settings: fc.constantFrom({ response_cache: true }, { errors_list_categories: true }, {}),
    searches: fc.array(
      fc.constantFrom({ q: 'kestrel' }, { country: ['DE', 'FR'], limit: 5 }, { attr: { year: 1999 } }),
      {
        minLength: 1,
        maxLength: 3,
      },
    ),
    email: fc.oneof(fc.constant(owner.email), fc.emailAddress({ size: 'small' })),
    password: fc.oneof(fc.constant(password), fc.string({ minLength: 8, maxLength: 128 })),
  };
}

/** The same for query parameters: filters that something passes. */
export function queryHintsOf({ services, owner }: Pick<World, 'services' | 'owner'>): SchemaContext['hints'] {
  const keys = [
    'brand',
    'model',
    'boat_type',
    'year',
    'min_year',
    'year_max',
    'max_length',
    'length_min',
    'beam',
    'unheard_of',
  ];
  return {
    q: fc.constantFrom('kestrel', 'sound boat', 'kestrle', '"sound boat" -cat', ''),
    category: fc.constantFrom(...categoriesOf(services)),
    seller_id: fc.constant(owner.id),
    currency: fc.constantFrom('EUR', 'eur', 'USD'),
    country: fc.constantFrom('DE', 'de', 'FR'),
    city: fc.constantFrom('Kappeln', 'kappeln'),
    ...periodHints(services),
    location: fc.constantFrom('palma', 'Pálma, Spain', '%'),
    boat_type: fc.constantFrom('catamaran', 'Catamaran'),
    min_price: fc.constantFrom(0, 12_345),
    page: fc.constantFrom(1, 2, 50),
    near: fc.constantFrom('54.66,9.93', '90,-180', '0,0'),
    bbox: fc.constantFrom('9,54,11,55', '179,-90,-179,90'),
    fields: fc.constantFrom('id', 'title,price', 'distance_km,seller'),
    facets: fc.constantFrom('category', 'country,condition,type,shipping', 'attr.brand,attr.boat_type'),
    attr: fc.dictionary(fc.constantFrom(...keys), fc.constantFrom('1999', '12.5', 'kestrel', ''), {
      maxKeys: 3,
      noNullPrototype: true,
    }),
  };
}
