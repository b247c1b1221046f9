import { isDeepStrictEqual } from 'node:util';
import type { Selectable } from 'kysely';
import type { DB } from '../../db/types.gen.ts';
import type { Catalog } from '../catalog/tree.ts';
import type { ModeratedText } from '../moderation/moderate.ts';
import { relocate } from '../places/locate.ts';
import type { Profile } from '../profiles/profile.ts';
import type { Attributes } from './attributes.ts';
import { pricesOf, repeatsBoat, replaceBoat, withEarlierPrice, type Boat } from './boat.ts';
import { deriveAttributes } from './derive-boat.ts';
import { applyListingRules, indexedFacts, type ListingFields } from './rules.ts';

/** The columns that an update may change. */
export const revisable = [
  'title',
  'description',
  'category_id',
  'condition',
  'type',
  'price_amount',
  'price_currency',
  'price_negotiable',
  'price_vat_included',
  'price_vat_rate',
  'country',
  'country_name',
  'region',
  'city',
  'marina',
  'postal_code',
  'lat',
  'lng',
  'geocoded',
  'shipping',
  'tags',
  'attributes',
  'boat',
  'images',
  'year',
  'length_m',
  'language',
  'content_hash',
  'moderation',
] as const satisfies (keyof DB['listings'])[];

export type StoredColumns = Pick<Selectable<DB['listings']>, (typeof revisable)[number]>;
export type Columns = Partial<StoredColumns>;
/** The fields of an update: those that are sent. */
export type Revision = Partial<ListingFields>;

/** Maps the fields of an update to columns. */
export function columnsOf({
  title,
  description,
  category_id,
  condition,
  type,
  tags,
  price,
  location,
}: Revision): Columns {
  const single = { title, description, category_id, condition, type, tags };
  return {
    ...Object.fromEntries(Object.entries(single).filter(([, value]) => value !== undefined)),
    ...(price && {
      price_amount: price.amount,
      price_currency: price.currency,
      price_negotiable: price.negotiable,
      price_vat_included: price.vat_included ?? null,
      price_vat_rate: price.vat_rate ?? null,
    }),
    ...(location && {
      country: location.country,
      city: location.city,
      shipping: location.shipping,
      country_name: location.country_name ?? null,
      region: location.region ?? null,
      marina: location.marina ?? null,
      postal_code: location.postal_code ?? null,
    }),
  };
}

/** The coordinates after a change of location; coordinates sent back as they were read change nothing. */
export function locationAfter(
  stored: Pick<StoredColumns, 'lat' | 'lng' | 'geocoded' | 'country' | 'city' | 'region'>,
  { location }: Revision,
): Columns {
  if (!location) return {};
  const isRepeated = (['country', 'city', 'lat', 'lng'] as const).every((name) => stored[name] === location[name]);
  return isRepeated ? {} : relocate(stored, location);
}

/**
 * The attributes by the template of the new category, and the sort columns derived from them. Attributes that repeat the
 * old boat follow the new one. Throws a validation_error for fields that break a rule of create, unless they are unchanged.
 */
export function factsAfter(
  stored: Pick<StoredColumns, 'category_id' | 'country' | 'price_currency'> & { attributes: unknown; boat: unknown },
  fields: Revision,
  { catalog, profile }: { catalog: Catalog; profile: Pick<Profile, 'unknownCategoryListsIds' | 'currencies'> },
): Columns {
  const known = stored.attributes as Attributes;
  const boat = (stored.boat ?? undefined) as Boat | undefined;
  const implied = deriveAttributes(boat ?? {});
  const said = Object.fromEntries(Object.entries(known).filter(([key, value]) => value !== implied[key]));
  const isTold = fields.attributes !== undefined || fields.boat !== undefined;
  const { category_id: category = stored.category_id } = fields;
  const codes = [stored.country, stored.price_currency, ...pricesOf(boat).map(({ currency }) => currency)];
  const { attributes } = applyListingRules(
    {
      ...fields,
      category_id: category,
      attributes: fields.attributes ?? (isTold ? said : known),
      boat: isTold ? (fields.boat ?? boat) : undefined,
    },
    { catalog, profile },
    { codes, attributes: category === stored.category_id ? known : undefined },
  );
  return isDeepStrictEqual(attributes, known) ? {} : { attributes, ...indexedFacts(attributes) };
}

/** The boat with the old price added to its history, dated today; "on request" is no price. */
export function boatAfter(
  stored: Pick<StoredColumns, 'boat' | 'type' | 'condition' | 'price_amount' | 'price_currency'> & { status: string },
  { boat: sent, price }: Revision,
  now: Date,
): Columns {
  const { price_amount: amount, price_currency: currency } = stored;
  const known = stored.boat as Boat | null;
  const isNews = sent !== undefined && !repeatsBoat(sent, { ...stored, boat: known });
  const boat = replaceBoat(known, isNews ? sent : undefined);
  const hasNewPrice = price && (price.amount !== amount || price.currency !== currency);
  const after =
    hasNewPrice && amount > 0
      ? withEarlierPrice(boat, { date: now.toISOString().slice(0, 10), amount, currency })
      : boat;
  return { boat: after as StoredColumns['boat'] };
}

/** The text that moderation has to judge again; undefined when an update leaves it as it is. */
export function textToModerate(
  stored: Pick<StoredColumns, 'title' | 'description' | 'tags' | 'category_id' | 'price_amount'>,
  { title, description, tags, category_id: category, price }: Revision,
): ModeratedText | undefined {
  const before = {
    title: stored.title,
    description: stored.description,
    tags: stored.tags,
    category: stored.category_id,
    price: { amount: stored.price_amount },
  };
  const after = {
    title: title ?? before.title,
    description: description ?? before.description,
    tags: tags ?? before.tags,
    category: category ?? before.category,
    price: { amount: price?.amount ?? before.price.amount },
  };
  return isDeepStrictEqual(before, after) ? undefined : after;
}
