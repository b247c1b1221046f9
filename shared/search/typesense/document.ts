import type { Pool } from 'pg';
import type { Attributes, AttributeValue } from '../../listings/attributes.ts';
import { shownRewrite } from '../../listings/card.ts';
import { filters } from '../filters.ts';
import { encodeIdOrder, exactKey, toJson, toMilli } from './encode.ts';
import { attributeField, MISSING, TEXT_LOCALES, type AttributeType, type IndexSchema } from './schema.ts';

/** Nobody but their owner finds drafts, and nobody deleted listings: neither is in the index. */
export const INDEXED = `l.status not in ('draft', 'deleted', 'suspended')`;

/** One listing as a line of an import. */
export type IndexDocument = { id: string; version: number; json: string };

type Text = { title: string; description: string };
type Row = Text & {
  id: string;
  slug: string;
  version: number;
  status: string;
  language: string;
  texts: Record<string, Text> | null;
  tags: string[];
  attributes: Attributes;
  category_id: string;
  price_amount: number;
  price_currency: string;
  sort_at: number;
  updated_at: number;
  featured_until: number;
  views: number;
  images: number;
  lat: number | null;
  lng: number | null;
} & Record<string, unknown>;

/** The filters that a column of a listing answers by itself. */
const plainFilters = filters.filter(
  ({ kind }) => kind === 'any' || kind === 'text' || kind === 'flag' || kind === 'range',
);
const columns = plainFilters.map(({ column }) => `l.${column}`).join(', ');

/** Times are microseconds, as PostgreSQL keeps them. */
const micros = (column: string) => `(extract(epoch from ${column}) * 1000000)::bigint`;

/** The documents of those of these listings that belong into the index, as they are now. */
export async function readDocuments(
  pool: Pool,
  ids: readonly string[],
  schema: Pick<IndexSchema, 'attributes' | 'categories'>,
): Promise<IndexDocument[]> {
  const { rows } = await pool.query<Row>({
    name: 'index-documents',
    text: `select l.id, l.slug, l.version, l.status, l.title, left(l.description, 20000) as description, l.language, l.tags, l.attributes,
             ${columns}, l.price_amount, l.price_currency, ${micros('l.sort_at')} as sort_at, ${micros('l.updated_at')} as updated_at, l.lat, l.lng,
             case when l.premium_type = 'featured' and l.status = 'active' then ${micros('l.premium_until')} else 0 end as featured_until,
             coalesce(v.views, 0)::int as views, jsonb_array_length(l.images) as images, (
               select jsonb_object_agg(r.locale, jsonb_build_object('title', coalesce(r.title, l.title), 'description', r.description))
               from listing_rewrites r
               where r.listing_id = l.id and ${shownRewrite('r')} and r.description is not null) as texts
           from listings l left join listing_views v on v.listing_id = l.id
           where l.id = any($1::text[]) and ${INDEXED} order by l.id`,
    values: [ids],
  });
  return rows.map((row) => ({ id: row.id, version: row.version, json: toJson(documentOf(row, schema)) }));
}

function documentOf(
  row: Row,
  { attributes, categories }: Pick<IndexSchema, 'attributes' | 'categories'>,
): Record<string, unknown> {
  const { high, low } = encodeIdOrder(row.id);
  const category = categories.get(row.category_id);
  return {
    id: row.id,
    sid: row.id,
    id_high: high,
    id_low: low,
    version: row.version,
    slug: row.slug,
    title: row.title,
    description: row.description,
    ...localeTexts(row),
    tags: row.tags,
    brand: ['brand', 'model'].flatMap((key) => textsOf(row.attributes[key])),
    ...Object.fromEntries(plainFilters.map((filter) => [fieldOf(filter), row[filter.column] ?? MISSING])),
    category_ids: category?.ids ?? [row.category_id],
    category_names: category?.names ?? [],
    status: row.status,
    price: row.price_amount,
    price_milli: toMilli(row.price_amount),
    currency: row.price_currency,
    sort_at: row.sort_at,
    updated_at: row.updated_at,
    featured_until: row.featured_until,
    views: row.views,
    images: row.images,
    ...(row.lat !== null && row.lng !== null && { location: [row.lat, row.lng], lat: row.lat, lng: row.lng }),
    ...attributesOf(row.attributes, attributes),
    keys: keysOf(row, attributes),
  };
}

/** Ranges are named as their filter, all else as its column. */
const fieldOf = ({ kind, name, column }: (typeof plainFilters)[number]) => (kind === 'range' ? name : column);

/** What readers in a language are shown, in its field: the text rewritten for it, or the one written in it. */
function localeTexts({ texts, language, title, description }: Row): Record<string, string> {
  const shown = TEXT_LOCALES.flatMap((locale): [string, string][] => {
    const text = texts?.[locale] ?? (locale === language ? { title, description } : undefined);
    return text
      ? [
          [`title_${locale}`, text.title],
          [`description_${locale}`, text.description],
        ]
      : [];
  });
  return Object.fromEntries(shown);
}

function attributesOf(attributes: Attributes, types: ReadonlyMap<string, AttributeType>): Record<string, unknown> {
  const fields = Object.entries(attributes).map(([key, value]) => [
    attributeField(key),
    attributeValue(value, types.get(key)),
  ]);
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
}

function attributeValue(value: AttributeValue | undefined, type: AttributeType | undefined): unknown {
  if (type === undefined || value === null || value === undefined) return undefined;
  if (type === 'bool') return typeof value === 'boolean' ? value : undefined;
  if (type === 'string') return facetText(value) || undefined;
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/** What is filtered byte by byte: each key is a name and a value of exactKey. */
function keysOf(row: Row, types: ReadonlyMap<string, AttributeType>): string[] {
  const whole = plainFilters.flatMap(({ kind, column }) => {
    const value = String(row[column]);
    if (kind === 'any') return [exactKey(column, value)];
    return kind === 'text' ? [exactKey(column, value.toLowerCase())] : [];
  });
  const values = Object.entries(row.attributes).flatMap(([key, value]) => {
    const type = types.get(key);
    if (type === undefined || type === 'float') return [];
    const text = typeof value === 'boolean' ? String(value) : facetText(value);
    return text === '' ? [] : [exactKey(attributeField(key), text)];
  });
  return [...whole, ...values];
}

const textsOf = (value: AttributeValue | undefined) =>
  (Array.isArray(value) ? value : [value]).filter((each) => typeof each === 'string');

/** As PostgreSQL writes a value of JSON as text; empty for none. */
function facetText(value: AttributeValue | undefined): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return `[${value.map((each) => JSON.stringify(each)).join(', ')}]`;
  return JSON.stringify(value);
}
