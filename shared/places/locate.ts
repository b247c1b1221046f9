import { geocode, type NamedPlace } from './geocode.ts';

/** Where a listing is, as its columns hold it; `geocoded` marks coordinates that are only those of its city. */
export type Located = { lat: number | null; lng: number | null; geocoded: boolean };

type PlaceToLocate = NamedPlace & { lat?: number | null; lng?: number | null };

/** Geocodes a place unless coordinates were given, even one alone; none when its city is unknown. */
export function locate({ lat = null, lng = null, ...place }: PlaceToLocate): Located {
  if (lat !== null || lng !== null) return { lat, lng, geocoded: false };
  const found = geocode(place);
  return found ? { ...found, geocoded: true } : { lat: null, lng: null, geocoded: false };
}

/**
 * Coordinates after a change of place: given ones; else, in the same town, those given before; else geocoded anew. Geocoded
 * ones never outlive their city.
 */
export function relocate(stored: Located & NamedPlace, changed: PlaceToLocate): Located {
  const isGiven = (changed.lat ?? null) !== null || (changed.lng ?? null) !== null;
  const hasMoved = stored.country !== changed.country || stored.city !== changed.city;
  if (isGiven || hasMoved || stored.geocoded) return locate(changed);
  return stored.lat === null && stored.lng === null
    ? locate(changed)
    : { lat: stored.lat, lng: stored.lng, geocoded: false };
}
