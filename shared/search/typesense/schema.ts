import { createHash } from 'node:crypto';
import type { Catalog } from '../../catalog/tree.ts';
import { localeWords } from '../query/stop-words.ts';
import type { AttributeDefinition } from '../../profiles/profile.ts';

export type Field = {
  name: string;
  type: 'string' | 'string[]' | 'int32' | 'int64' | 'bool' | 'geopoint';
  facet?: boolean;
  optional?: boolean;
  sort?: boolean;
  index?: boolean;
};

/** Raise it when documents hold something else than before: collections are built anew then. */
const MAPPING = 2;

/** The attributes that can be filtered by: numbers by their value, all others by parts of their text. */
export type AttributeFields = { numbers: ReadonlySet<string>; texts: ReadonlySet<string> };

export type IndexSchema = { fields: Field[]; attributes: AttributeFields; digest: string };

/** Year and length have fields of their own. */
const OWN_FIELDS = new Set(['year', 'length']);

/** The fields of a collection of listings, and a digest that changes with them or with what they hold. */
export function buildSchema(catalog: Catalog): IndexSchema {
  const attributes = attributesOf(catalog);
  const whole = (name: string, more = {}): Field => ({ name, type: 'string', ...more });
  const integer = (name: string, more = {}): Field => ({ name, type: 'int64', ...more });
  const fields: Field[] = [
    // For people who look into the index: what is searched are its words.
    whole('title', { index: false, optional: true }),
    { name: 'words', type: 'string[]' },
    { name: 'title_words', type: 'string[]' },
    whole('sid', { sort: true }),
    integer('high'),
    integer('low'),
    { name: 'version', type: 'int32' },
    whole('status'),
    whole('category_id', { facet: true }),
    whole('category_key'),
    whole('condition', { facet: true }),
    whole('country', { facet: true }),
    whole('type', { facet: true }),
    { name: 'shipping', type: 'bool', facet: true },
    whole('city_key'),
    whole('seller_key'),
    integer('price'),
    { name: 'year', type: 'int32' },
    integer('length'),
    integer('sort_at'),
    integer('updated_at'),
    integer('featured_until'),
    { name: 'location', type: 'geopoint', optional: true },
    integer('lat', { optional: true }),
    integer('lng', { optional: true }),
    { name: 'parts', type: 'string[]', optional: true },
    ...[...attributes.numbers].toSorted().map((key) => integer(`number_${key}`, { optional: true })),
    ...[...attributes.texts].toSorted().map((key) => whole(`text_${key}`, { facet: true, optional: true })),
  ];
  const digest = createHash('sha256')
    .update(JSON.stringify([MAPPING, fields, localeWords]))
    .digest('hex')
    .slice(0, 8);
  return { fields, attributes, digest };
}

function attributesOf(catalog: Catalog): AttributeFields {
  const all = catalog.assetTypes().flatMap(({ attributes }) => attributes);
  const keysOf = (condition: (definition: AttributeDefinition) => boolean) =>
    new Set(all.filter((each) => each.filterable && condition(each)).map(({ key }) => key));
  return {
    numbers: keysOf(({ type, key }) => type === 'number' && !OWN_FIELDS.has(key)),
    texts: keysOf(({ type }) => type !== 'number'),
  };
}
