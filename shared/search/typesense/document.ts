import type { SearchPool } from '../search-pool.ts';
import type { Attributes } from '../../listings/attributes.ts';
import { readKnownPairs, wordFieldsOf, wordsColumns, type Vectors } from './document-words.ts';
import { ngramsOf, MISSING, encodeIdOrder, encodeSortable, toJson, token } from './encode.ts';
import type { AttributeFields } from './schema.ts';

/** Nobody but their owner finds drafts, and nobody deleted listings: neither is in the index. */
export const INDEXED = `l.status not in ('draft', 'deleted')`;

/** A year that is missing: below every year. */
export const NO_YEAR = -100_000;

/** One listing as a line of an import. */
export type IndexDocument = { id: string; version: number; json: string };

type Row = Vectors & {
  id: string;
  version: number;
  status: string;
  title: string;
  attributes: Attributes;
  category_id: string;
  condition: string;
  country: string;
  type: string;
  shipping: boolean;
  city: string;
  seller_id: string;
  price_amount: number;
  year: number | null;
  length_m: number | null;
  sort_at: number;
  updated_at: number;
  featured_until: number;
  lat: number | null;
  lng: number | null;
};

const micros = (column: string) => `(extract(epoch from ${column}) * 1000000)::bigint`;

/** The documents of those of these listings that belong into the index, as they are now. */
export async function readDocuments(
  pool: SearchPool,
  ids: readonly string[],
  fields: AttributeFields,
): Promise<IndexDocument[]> {
  const { pairs } = await readKnownPairs(pool);
  const { rows } = await pool.query<Row>({
    name: 'index-documents',
    text: `select l.id, l.version, l.status, l.title, l.attributes, l.category_id,
             l.condition, l.country, l.type, l.shipping, l.city, l.seller_id, l.price_amount, l.year, l.length_m,
             ${micros('l.sort_at')} as sort_at, ${micros('l.updated_at')} as updated_at, l.lat, l.lng,
             case when l.premium_type = 'featured' and l.status = 'active' then ${micros('l.premium_until')} else 0 end as featured_until,
             ${wordsColumns}
           from listings l join listing_search s on s.listing_id = l.id
           where l.id = any($1::text[]) and ${INDEXED} order by l.id`,
    values: [ids, pairs.map(({ head }) => head), pairs.map(({ gap }) => gap), pairs.map(({ tail }) => tail)],
  });
  return rows.map((row) => ({ id: row.id, version: row.version, json: toJson(documentOf(row, fields)) }));
}

function documentOf(row: Row, fields: AttributeFields): Record<string, unknown> {
  const { high, low } = encodeIdOrder(row.id);
  return {
    id: row.id,
    sid: row.id,
    high,
    low,
    version: row.version,
    title: row.title,
    ...wordFieldsOf(row),
    status: row.status,
    category_id: row.category_id,
    category_key: token(row.category_id),
    condition: row.condition,
    country: row.country,
    type: row.type,
    shipping: row.shipping,
    city_key: token(row.city.toLowerCase()),
    seller_key: token(row.seller_id),
    price: encodeSortable(row.price_amount),
    year: row.year ?? NO_YEAR,
    length: row.length_m === null ? MISSING : encodeSortable(Math.fround(row.length_m)),
    sort_at: row.sort_at,
    updated_at: row.updated_at,
    featured_until: row.featured_until,
    ...(row.lat !== null &&
      row.lng !== null && { location: [row.lat, row.lng], lat: encodeSortable(row.lat), lng: encodeSortable(row.lng) }),
    ...attributesOf(row.attributes, fields),
  };
}

function attributesOf(attributes: Attributes, fields: AttributeFields): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  const parts: string[] = [];
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined) continue;
    if (fields.numbers.has(key)) {
      const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
      if (typeof number === 'number' && Number.isFinite(number)) found[`number_${key}`] = encodeSortable(number);
    }
    if (fields.texts.has(key)) {
      if (textOf(value) !== '') found[`text_${key}`] = textOf(value);
      for (const each of Array.isArray(value) ? value : [value]) {
        if (typeof each === 'string') parts.push(...ngramsOf(key, each));
        if (typeof each === 'boolean') parts.push(token('is', key, String(each)));
      }
    }
  }
  return { ...found, ...(parts.length > 0 && { parts }) };
}

/** As PostgreSQL writes a value of JSON as text. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return `[${value.map((each) => JSON.stringify(each)).join(', ')}]`;
  return JSON.stringify(value);
}
