import { sql } from 'kysely';
import { countryNameIn } from '../kit/codes.ts';
import type { Tx } from '../queues/jobs.ts';
import type { Subject } from './fingerprint.ts';
import { sellersOf, statesCondition } from './sellers.ts';
import { readProductCodes, readSerialNumber } from './serial-number.ts';

type Row = {
  id: string;
  title: string;
  description: string;
  category: string;
  type: string;
  condition: string;
  attributes: Record<string, unknown>;
  hull_id: string | null;
  year: number | null;
  length_m: number | null;
  listed_in: number;
  price_amount: number;
  price_currency: string;
  country: string;
  country_name: string | null;
  region: string | null;
  city: string;
  lat: number | null;
  lng: number | null;
  seller_id: string;
  site: string | null;
  raw: unknown;
  images: string[] | null;
};

/** What an ingested record leaves out is taken to be this. */
const ASSUMED_CONDITION = 'good';
/** A larger record, as it is stored, is not asked for its seller. */
const MAX_RAW_BYTES = 100_000;

/** These listings as they are compared, in the order of their ids, whatever their status. */
export async function readSubjects(tx: Tx, listingIds: readonly string[]): Promise<Subject[]> {
  if (listingIds.length === 0) return [];
  const { rows } = await sql<Row>`
    select l.id, l.title, l.description, l.category_id as category, l.type, l.condition, l.attributes, l.boat->>'hull_id' as hull_id,
      l.year, l.length_m, extract(year from l.created_at)::int as listed_in, l.price_amount, l.price_currency,
      l.country, l.country_name, l.region, l.city, l.lat, l.lng, l.seller_id, s.site,
      case when pg_column_size(s.raw_record) <= ${MAX_RAW_BYTES} then s.raw_record end as raw,
      (select array_agg(lpad(to_hex(i.dhash), 16, '0') order by i.sha256) from picture_uses u join images i using (sha256)
       where u.subject = l.id) as images
    from listings l left join listing_sources s on s.listing_id = l.id
    where l.id = any(${[...listingIds]}::text[]) order by l.id`.execute(tx);
  return rows.map(toSubject);
}

function toSubject(row: Row): Subject {
  const { id, title, description, category, type, attributes, year, length_m, listed_in, site } = row;
  const { brand, model } = attributes;
  const isAssumed = site !== null && row.condition === ASSUMED_CONDITION && !statesCondition(row.raw);
  return {
    ...known({
      id,
      title,
      description,
      source: site === null ? row.seller_id : `site:${site}`,
      category,
      type,
      condition: isAssumed ? null : row.condition,
      brand: textOf(brand),
      model: textOf(model),
      serial: readSerialNumber(row.hull_id, attributes) ?? null,
      year,
      length_m,
    }),
    ...readProductCodes(attributes),
    listed_in,
    sellers: sellersOf({ sellerId: row.seller_id, site, raw: row.raw }),
    ...(row.price_amount > 0 && { price: { amount: row.price_amount, currency: row.price_currency } }),
    place: placeOf(row),
    images: row.images ?? [],
  };
}

/** Where a record names no city, its region or country stands in for it; that is no town. */
function placeOf({ country, country_name, region, city, lat, lng }: Row): Subject['place'] {
  const standIns = [region, country_name, countryNameIn(country, 'en'), 'Unknown'];
  return {
    country,
    ...(region !== null && { region }),
    ...(!standIns.includes(city) && { city }),
    ...(lat !== null && lng !== null && { lat, lng }),
  };
}

const textOf = (value: unknown) => (typeof value === 'string' || typeof value === 'number' ? String(value) : null);

/** A fact that is null is not known. */
function known<Facts extends Record<string, unknown>>(facts: Facts) {
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== null)) as {
    [Name in keyof Facts]: Exclude<Facts[Name], null>;
  };
}
