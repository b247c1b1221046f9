import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { regionCodes } from './region-codes.ts';

/** A place as a listing names it. */
export type NamedPlace = { country: string; city: string; region?: string | null };

export type Coordinates = { lat: number; lng: number };

type City = Coordinates & { region: string; population: number };

/** Cities by country and folded name; several of one name, the most populous first. Read at the first use, some 5 MB. */
let cities: Map<string, City[]> | undefined;

/**
 * The centre of a city of more than 15,000 people, found by its name in its country whatever the case and the accents, in the
 * language of the country or, for well-known ones, in those of the service; of several the one in the region, else the most populous. What follows a comma in the city is a region too (`Miami, FL`).
 * Undefined when no such city is known.
 */
export function geocode({ country, city, region }: NamedPlace): Coordinates | undefined {
  cities ??= readCities();
  const [name = '', ...rest] = city.split(',');
  const found = cities.get(keyOf(country, city)) ?? cities.get(keyOf(country, name));
  const [biggest] = found ?? [];
  if (!found || !biggest) return undefined;
  const regions = new Set([region ?? '', ...rest].flatMap((each) => codesOf(country, each)));
  const { lat, lng } = found.find((each) => regions.has(each.region)) ?? biggest;
  return { lat, lng };
}

/** One spelling for names that differ in case, accents and punctuation. */
export function foldPlaceName(name: string): string {
  return name
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[ßæœøłđðþı]/g, (letter) => plainLetters.get(letter) ?? letter)
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .replaceAll(/\b(?:st|ste|sankt)\b/g, 'saint')
    .replaceAll(/\bft\b/g, 'fort')
    .trim();
}

const plainLetters = new Map([
  ['ß', 'ss'],
  ['æ', 'ae'],
  ['œ', 'oe'],
  ['ø', 'o'],
  ['ł', 'l'],
  ['đ', 'd'],
  ['ð', 'd'],
  ['þ', 'th'],
  ['ı', 'i'],
]);

const keyOf = (country: string, name: string) => `${country} ${foldPlaceName(name)}`;

function codesOf(country: string, region: string): string[] {
  const name = foldPlaceName(region);
  const code = regionCodes.get(`${country} ${name}`);
  return [region.trim().toUpperCase(), ...(code === undefined ? [] : [code])];
}

/** How letters are written where a keyboard lacks them: `Koeln`, `Aarhus`. */
const digraphs = new Map([
  ['ä', 'ae'],
  ['ö', 'oe'],
  ['ü', 'ue'],
  ['å', 'aa'],
  ['ø', 'oe'],
]);

const seed = (name: string) => readFileSync(new URL(`../../db/seed/${name}`, import.meta.url));
const rowsOf = (text: string) => text.split('\n').map((line) => line.split('\t'));

function readCities(): Map<string, City[]> {
  const otherNames = new Map(
    rowsOf(seed('city-names.tsv').toString('utf8')).map(([country, name, others = '']) => [
      `${country} ${name}`,
      others.split('|'),
    ]),
  );
  const byName = new Map<string, City[]>();
  for (const [country, name, region = '', population, lat, lng] of rowsOf(
    gunzipSync(seed('cities.tsv.gz')).toString('utf8'),
  )) {
    if (country === undefined || name === undefined) continue;
    const city = { region, population: Number(population), lat: Number(lat), lng: Number(lng) };
    const parts = name.includes('/') ? name.split('/') : [];
    const names = [name, ...parts, ...(otherNames.get(`${country} ${name}`) ?? [])];
    for (const key of new Set(names.flatMap(spellings).map((each) => keyOf(country, each)))) {
      const known = byName.get(key);
      if (known) known.push(city);
      else byName.set(key, [city]);
    }
  }
  for (const same of byName.values()) same.sort((a, b) => b.population - a.population);
  return byName;
}

/** A name as it is, and without the letters that a keyboard may lack. */
function spellings(name: string): string[] {
  const plain = name.replaceAll(/[äöüåøÄÖÜÅØ]/g, (letter) => digraphs.get(letter.toLowerCase()) ?? letter);
  return plain === name ? [name] : [name, plain];
}
