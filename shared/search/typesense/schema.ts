import { createHash } from 'node:crypto';
import type { Catalog } from '../../catalog/tree.ts';
import type { AttributeDefinition } from '../../profiles/profile.ts';
import { filters, type Filter } from '../filters.ts';
import { WORD_SETS } from './word-sets.ts';

export type Field = {
  name: string;
  type: 'string' | 'string[]' | 'int32' | 'int64' | 'float' | 'bool' | 'geopoint';
  facet?: boolean;
  optional?: boolean;
  sort?: boolean;
  index?: boolean;
  locale?: string;
  stem?: boolean;
};

/** Raise it when documents hold something else than before: collections are built anew then. */
const MAPPING = 3;

/** Words end at these signs, which Typesense would leave out: `Hallberg-Rassy` is two words. */
export const TOKEN_SEPARATORS = [...'-/,.:;()[]{}&+|!?=<>'];

/** The languages that texts are rewritten into; stemmed where Typesense has a stemmer of theirs. */
export const TEXT_LOCALES = ['en', 'es', 'fr', 'de', 'it', 'ko', 'ja'] as const;
const STEMMED: ReadonlySet<string> = new Set(['en', 'es', 'fr', 'de', 'it']);

export type AttributeType = 'float' | 'bool' | 'string';
/** What a category adds to its listings: its id and those above it, and the names of all of them in every language. */
export type CategoryTexts = { ids: readonly string[]; names: readonly string[] };

export type IndexSchema = {
  fields: Field[];
  /** The attributes that can be filtered by, with the type of their field `attr_…`. */
  attributes: ReadonlyMap<string, AttributeType>;
  categories: ReadonlyMap<string, CategoryTexts>;
  digest: string;
};

/** The field of an attribute. */
export const attributeField = (key: string) => `attr_${key}`;

/** The fields of a collection of listings, and a digest that changes with them or with what they hold. */
export function buildSchema(catalog: Catalog): IndexSchema {
  const attributes = attributesOf(catalog);
  const categories = new Map(
    catalog.flat().flatMap(({ id, path }): [string, CategoryTexts][] => {
      const names = path.flatMap((each) => Object.values(catalog.find(each)?.names ?? {}));
      const texts = { ids: path, names: [...new Set(names)] };
      return [id, ...(catalog.formerIds().get(id) ?? [])].map((each) => [each, texts]);
    }),
  );
  const fields: Field[] = [
    ...texts,
    ...filterFields(),
    ...figures,
    // Exact where texts are not: see exactKey in document.ts.
    { name: 'keys', type: 'string[]' },
    ...[...attributes]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, type]): Field => ({ name: attributeField(key), type, facet: true, optional: true })),
  ];
  const digest = createHash('sha256')
    .update(JSON.stringify([MAPPING, TOKEN_SEPARATORS, fields, [...categories], WORD_SETS.digest]))
    .digest('hex')
    .slice(0, 8);
  return { fields, attributes, categories, digest };
}

const texts: Field[] = [
  { name: 'title', type: 'string', stem: true },
  { name: 'description', type: 'string', stem: true },
  ...TEXT_LOCALES.flatMap((locale) =>
    ['title', 'description'].map((name): Field => {
      const stem = STEMMED.has(locale) && { stem: true };
      return { name: `${name}_${locale}`, type: 'string', optional: true, locale, ...stem };
    }),
  ),
  { name: 'tags', type: 'string[]' },
  { name: 'brand', type: 'string[]' },
  { name: 'category_names', type: 'string[]' },
  { name: 'slug', type: 'string', index: false, optional: true },
];

/** A number that is missing: below all others. */
export const MISSING = -1_000_000;

/** The fields of the filters that stand for themselves: values, flags and ranges of the table. */
function filterFields(): Field[] {
  const table: readonly Filter[] = filters;
  return table.flatMap(({ kind, name, column, facet }): Field[] => {
    if (kind === 'any' || kind === 'text') return [{ name: column, type: 'string', ...(facet && { facet: true }) }];
    if (kind === 'flag') return [{ name: column, type: 'bool', facet: true }];
    return kind === 'range' ? [{ name, type: 'float', facet: true }] : [];
  });
}

const figures: Field[] = [
  { name: 'status', type: 'string' },
  { name: 'category_ids', type: 'string[]' },
  { name: 'currency', type: 'string', facet: true },
  { name: 'version', type: 'int32' },
  { name: 'sid', type: 'string', sort: true },
  { name: 'id_high', type: 'int64' },
  { name: 'id_low', type: 'int64' },
  { name: 'price', type: 'float', facet: true },
  { name: 'price_milli', type: 'int64' },
  { name: 'sort_at', type: 'int64' },
  { name: 'updated_at', type: 'int64' },
  { name: 'featured_until', type: 'int64' },
  { name: 'views', type: 'int32' },
  { name: 'images', type: 'int32' },
  { name: 'location', type: 'geopoint', optional: true },
  { name: 'lat', type: 'float', optional: true },
  { name: 'lng', type: 'float', optional: true },
];

/** Year and length have fields of their own. */
const OWN_FIELDS = new Set(['year', 'length']);

/** A key that is a number in one template and a text in another is a text. */
function attributesOf(catalog: Catalog): Map<string, AttributeType> {
  const all = catalog.assetTypes().flatMap(({ attributes }) => attributes.filter(({ filterable }) => filterable));
  const types = new Map<string, AttributeType>();
  for (const definition of all) {
    const { key } = definition;
    const type = fieldType(definition);
    if (!OWN_FIELDS.has(key)) types.set(key, (types.get(key) ?? type) === type ? type : 'string');
  }
  return types;
}

const fieldType = ({ type }: AttributeDefinition): AttributeType =>
  type === 'number' ? 'float' : type === 'boolean' ? 'bool' : 'string';
