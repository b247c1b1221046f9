import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { normalizeLocation } from '../../shared/normalize/location.ts';
import { distanceKm } from '../../shared/places/area.ts';
import { geocode, type Coordinates } from '../../shared/places/geocode.ts';
import { findPostalArea } from '../../shared/places/postal-areas.ts';
import { dataFile } from '../support/data.ts';
import { printFigures } from './extract-data.ts';
import { readSets } from './normalise-rows.ts';

const MAX_WRONG = 0.01;
const MAX_AWAY_KM = 50;
const SHOWN = 12;

/** What a row says of its place, and where that is, as far as another source knows: with so many kilometres of doubt. */
type Placed = { text: string; country?: string; truth?: Coordinates & { doubtKm: number } };

/**
 * Geocoding of real rows: the share that gets coordinates, of those that name a town, and of these the share more than 50 km away from
 * where another column says that it is: the shop's own coordinates, or the area of the postal code.
 */
export async function benchPlaces(): Promise<void> {
  const ads = readSets();
  measure('shops of the United States, unseen (own coordinates)', readShops(), 0.9);
  for (const [name, target] of [
    ['kleinanzeigen, blocket 2026', 0.8],
    ['boattrader 2019', 0.9],
    ['boat24 2020', undefined],
    ['boat24 2022, raw rows', undefined],
    ['yachtworld 2016', undefined],
    ['sailboatlistings', undefined],
    ['olx cars 2020', undefined],
  ] as const) {
    const rows = (ads.get(name) ?? []).map(({ raw, country }): Placed => ({ text: raw.location?.text ?? '', country }));
    measure(
      name,
      rows.filter(({ text }) => text !== ''),
      target,
    );
  }
}

function measure(title: string, rows: Placed[], target: number | undefined): void {
  let named = 0;
  let found = 0;
  let judged = 0;
  const wrong: string[] = [];
  const missing = new Map<string, number>();
  for (const { text, country, truth } of rows) {
    const location = normalizeLocation({ text }, country);
    if (!location?.city) continue;
    named += 1;
    const place = { ...location, country: location.country ?? 'ZZ', city: location.city };
    const point = geocode(place);
    if (!point) {
      missing.set(text, (missing.get(text) ?? 0) + 1);
      continue;
    }
    found += 1;
    const area = location.postal_code && findPostalArea(place.country, location.postal_code);
    const known = truth ?? (area ? { ...area, doubtKm: area.radiusKm } : undefined);
    if (!known) continue;
    judged += 1;
    if (distanceKm(point, known) > MAX_AWAY_KM + known.doubtKm) wrong.push(text);
  }
  printFigures(`places, ${title}: ${rows.length} rows`, [
    { name: 'geocoded, of those that name a town', value: found / named, target, note: `${named} rows` },
    { name: 'geocoded, of all', value: found / rows.length },
    {
      name: 'not wrong by 50 km',
      value: judged === 0 ? undefined : 1 - wrong.length / judged,
      target: judged === 0 ? undefined : 1 - MAX_WRONG,
      note: `${judged} rows judged`,
    },
  ]);
  const often = [...missing].toSorted(([, a], [, b]) => b - a).slice(0, SHOWN);
  if (often.length > 0)
    console.log(`      not found: ${often.map(([text, count]) => `${text} (${count})`).join('; ')}`);
  if (wrong.length > 0) console.log(`      wrong: ${[...new Set(wrong)].slice(0, SHOWN).join('; ')}`);
}

type Shop = { city: string; state: string; zip: string; location: { lat: number; lon: number } };

function readShops(): Placed[] {
  const path = dataFile('geo/bestbuy-stores.json.gz');
  if (path === undefined) return [];
  const shops = JSON.parse(gunzipSync(readFileSync(path)).toString('utf8')) as Shop[];
  return shops.map(({ city, state, zip, location }) => ({
    text: `${city}, ${state} ${zip}`,
    country: 'US',
    truth: { lat: location.lat, lng: location.lon, doubtKm: 0 },
  }));
}
