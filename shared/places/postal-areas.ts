import { readFileSync } from 'node:fs';

/** The middle of the places whose postal codes begin alike; all of them lie within so many kilometres of it. */
export type PostalArea = { lat: number; lng: number; radiusKm: number };

/** By country and first digits, read at the first use. */
let areas: Map<string, PostalArea> | undefined;

/** The area of a postal code of Germany or the United States; undefined where none is known. */
export function findPostalArea(country: string, postalCode: string): PostalArea | undefined {
  if (!/^\d{5}/.test(postalCode)) return undefined;
  areas ??= readAreas();
  return areas.get(`${country} ${postalCode.slice(0, 3)}`) ?? areas.get(`${country} ${postalCode.slice(0, 2)}`);
}

function readAreas(): Map<string, PostalArea> {
  const lines = readFileSync(new URL('../../db/seed/postal-areas.tsv', import.meta.url), 'utf8')
    .trim()
    .split('\n');
  return new Map(
    lines.map((line) => {
      const [country, prefix, lat, lng, radiusKm] = line.split('\t');
      return [`${country} ${prefix}`, { lat: Number(lat), lng: Number(lng), radiusKm: Number(radiusKm) }];
    }),
  );
}
