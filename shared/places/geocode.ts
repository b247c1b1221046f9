import { distanceKm } from './area.ts';
import { foldPlaceName } from './fold-place-name.ts';
import { findPostalArea, type PostalArea } from './postal-areas.ts';
import { regionCodeOf } from './region-codes.ts';
import { findTowns, type Town } from './towns.ts';

/** A place as a listing names it. */
export type NamedPlace = { country: string; city: string; region?: string | null; postal_code?: string | null };

export type Coordinates = { lat: number; lng: number };

/** A namesake farther from its postal area is another town. */
const MARGIN_KM = 25;
/** An area that small stands for each place in it. */
const MAX_AREA_KM = 40;
/** Of small towns of one name so far from each other none is meant more than the others. */
const MAX_APART_KM = 50;
const MIN_KNOWN = 15_000;
const MAX_NAMES = 8;
/** Regions of a country that have a code of their own in ISO 3166-1, and in the list. */
const TERRITORIES = new Set(['PR', 'VI', 'GU']);

/** What people write around the name of a town. */
const AROUND =
  /^(?:near|nahe|nähe|raum|bei|bezirk|stadt|gemeinde|greater|city of|town of|port of|ville de|bahía de|marina|puerto deportivo de|porto di|port de|hafen) (?=\p{L})|(?<=\p{L}) (?:area|county|city|marina|harbou?r|umgebung|und umgebung|region)$/iu;
/** What tells a town from its namesakes: `Wustrow (Wendland)`, `Hagen im Bremischen`. */
const BYNAME = / \(| (?:am|an der|an|im|in|bei|ob der|vor der|sur|on|upon|del|de la) /iu;

/**
 * Gazetteer lookup: the centre of a town of the list, found by its name in its country whatever the case and the accents, in
 * the language of the country or, for well-known ones, in those of the service. Of several the one in the stated region (which
 * may follow a comma in the city: `Miami, FL`) and near the area of the postal code; when those contradict every one of them, and
 * for a town that is in no list, the middle of its postal area, if that is small. Without such evidence the most populous, if it
 * stands out. Undefined when no town is certain.
 */
export function geocode(place: NamedPlace): Coordinates | undefined {
  const area = place.postal_code ? findPostalArea(place.country, place.postal_code.trim()) : undefined;
  const regions = regionsOf(place);
  const countries = [place.country, ...[...regions].filter((code) => TERRITORIES.has(code))];
  for (const name of namesOf(place.city)) {
    // A part of a name alone may be that of any town: only other evidence tells that it is this one.
    if (!name.isWhole && !area && regions.size === 0) continue;
    const there = countries.flatMap((country) =>
      findTowns(country, foldPlaceName(name.text)).filter(
        ({ region }) => country !== place.country || regions.size === 0 || regions.has(region),
      ),
    );
    const town = area && (there.length > 1 || regions.size === 0) ? nearest(there, area) : mostPopulous(there);
    if (town) return { lat: town.lat, lng: town.lng };
  }
  const isNamed = foldPlaceName(place.city).length > 1;
  return isNamed && area && area.radiusKm <= MAX_AREA_KM ? { lat: area.lat, lng: area.lng } : undefined;
}

/** True when the list has a town of that name in that country, or in that region of it; without a region a region's name counts too. */
export function isPlaceIn({ country, region, city }: NamedPlace): boolean {
  const towns = findTowns(country, foldPlaceName(city));
  if (!region) return towns.length > 0 || regionCodeOf(country, city) !== undefined;
  const code = regionCodeOf(country, region);
  return towns.some((town) => town.region === code);
}

function nearest(towns: Town[], area: PostalArea): Town | undefined {
  const [first] = towns.toSorted((a, b) => distanceKm(a, area) - distanceKm(b, area));
  return first && distanceKm(first, area) <= area.radiusKm + MARGIN_KM ? first : undefined;
}

function mostPopulous([biggest, ...others]: Town[]): Town | undefined {
  if (!biggest || biggest.population >= MIN_KNOWN) return biggest;
  return others.every((other) => distanceKm(other, biggest) <= MAX_APART_KM) ? biggest : undefined;
}

/** The codes of the regions that a place states; none where it states what is no region of the list. */
function regionsOf({ country, city, region }: NamedPlace): Set<string> {
  const [, ...rest] = city.split(',');
  const stated = [region ?? '', ...rest].flatMap((each) => regionCodeOf(country, each) ?? []);
  return new Set(stated);
}

/** The ways in which the name of a town may be written shorter, the whole of it first. */
function namesOf(city: string): { text: string; isWhole: boolean }[] {
  const [name = ''] = city.split(',');
  const bare = name.replace(AROUND, '').trim();
  const parts = /[/&]|\s[-–]\s/.test(name) ? name.split(/[/&]|\s[-–]\s/).map((part) => part.trim()) : [];
  const whole = [city, name, bare].map((text) => ({ text, isWhole: true }));
  const shorter = [bare.split(BYNAME, 1).join(), ...parts].map((text) => ({ text, isWhole: false }));
  const known = new Set<string>();
  return [...whole, ...shorter]
    .slice(0, MAX_NAMES)
    .filter(({ text }) => text !== '' && !known.has(text) && known.add(text));
}
