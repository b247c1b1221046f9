import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { dataFile } from '../support/data.ts';
import { readBoats, type Boat } from './dataset-rows.ts';

/** A record of POST /api/ingest as a scraper of these markets would send it. */
export type BoatRecord = { url: string; title: string } & Record<string, unknown>;

const FOOT_M = 0.3048;

/** The records of both boat markets, in the order of their files; undefined where the data is absent. */
export function readBoatRecords(): BoatRecord[] | undefined {
  const trader = dataFile('boats-boattrader-2019/boattrader_newest.csv.gz');
  const boat24 = dataFile('boats-boat24-2022-specs/boat24_specs.dev.csv.gz');
  if (!trader || !boat24) return undefined;
  return [...rowsOf(trader).map(fromTrader), ...rowsOf(boat24).map(fromBoat24)];
}

const rowsOf = (path: string) => readBoats(gunzipSync(readFileSync(path)).toString('utf8'));

/** A row of boats-boattrader-2019: feet, pounds and dollars, in the United States. */
export function fromTrader(row: Boat): BoatRecord {
  const { make, model, price } = row;
  return {
    url: row.url ?? '',
    title: [row.year, make, model].filter(Boolean).join(' '),
    category_hint: `${row.type} > ${row.boatClass}`,
    condition: row.condition === 'new' ? 'new' : 'good',
    price: price ? { amount: Number(price), currency: 'USD' } : undefined,
    location: {
      country: row.country,
      city: row.city || undefined,
      region: row.state || undefined,
      postal_code: row.zip || undefined,
    },
    attributes: present({
      brand: make,
      model,
      year: numberOf(row.year),
      length: metres(row.length_ft),
      beam: metres(row.beam_ft),
      boat_type: row.boatClass?.replace(/^(?:power|sail)-/, ''),
      material: unlessOther(row.hullMaterial),
      fuel_type: row.fuelType === 'gasoline' ? 'petrol' : unlessOther(row.fuelType),
      engine_power: numberOf(row.totalHP),
      engine_count: numberOf(row.numEngines),
    }),
    raw_record: row,
  };
}

/** A row of boats-boat24-2022-specs: metric, several currencies by their first letter, no maker. */
export function fromBoat24(row: Boat): BoatRecord {
  const kind = (row.type ?? '').trim();
  const currency = currencies[row.currency ?? ''];
  const place = (row.region ?? '').split('»').map((part) => part.trim());
  const length = numberOf(row.length);
  return {
    url: `https://www.boat24.com/en/boats/detail/${row.id}/`,
    title: [kind, length === undefined ? '' : `of ${length} m`, row.location ? `in ${row.location}` : '', row.year]
      .filter(Boolean)
      .join(' '),
    category_hint: `${row.base_type} > ${kind}`,
    condition: conditions[row.condition ?? ''] ?? (row.used === 'False' ? 'new' : 'good'),
    price: row.price && currency ? { amount: Number(row.price), currency } : undefined,
    location: {
      country_name: (place[0] || row.country || '').replaceAll('_', ' ').slice(0, 100) || undefined,
      region: place[1],
      city: row.location || undefined,
    },
    attributes: present({
      year: numberOf(row.year),
      length,
      beam: numberOf(row.width),
      draft: numberOf(row.draft),
      boat_type: kind,
      material: row.material === 'GRP' ? 'fiberglass' : row.material?.slice(0, 100).toLowerCase(),
      fuel_type: fuels[row.fuel_type ?? ''],
      keel_type: row.keel_type,
      cabins: numberOf(row.no_cabins),
      berths: numberOf(row.no_beds),
      displacement: numberOf(row.displacement),
      engine_power: numberOf(row.hp_combined),
      engine_hours: numberOf(row.engine_hours),
    }),
    raw_record: row,
  };
}

const currencies: Record<string, string> = { E: 'EUR', C: 'CHF', '£': 'GBP', D: 'DKK', U: 'USD', S: 'SEK', N: 'NOK' };
const fuels: Record<string, string> = { Diesel: 'diesel', Unleaded: 'petrol', Electric: 'electric', Hybrid: 'hybrid' };
const conditions: Record<string, string> = {
  new: 'new',
  'as new': 'like_new',
  'very good condition': 'good',
  'good condition': 'good',
  used: 'fair',
  'to be done up': 'poor',
  defect: 'poor',
};

const present = (attributes: Record<string, string | number | undefined>) =>
  Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined && value !== ''));

function numberOf(text: string | undefined): number | undefined {
  const value = text ? Number(text) : Number.NaN;
  return Number.isFinite(value) && value > 0 ? value : undefined;
}

function metres(feet: string | undefined): number | undefined {
  const value = numberOf(feet);
  return value === undefined ? undefined : Math.round(value * FOOT_M * 100) / 100;
}

const unlessOther = (text: string | undefined) => (text === 'other' ? undefined : text);
