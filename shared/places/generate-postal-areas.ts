// Writes db/seed/postal-areas.tsv: npm run generate:postal-areas -- CSV with the columns city, state, zip of the United States
import { readFileSync, writeFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { distanceKm } from './area.ts';
import { foldPlaceName } from './fold-place-name.ts';
import { findTowns, type Town } from './towns.ts';

type Point = { lat: number; lng: number };

/** The town in the middle of each postal region (first two digits) of Germany; all of a region lies within so many kilometres. */
const GERMANY =
  '01 Dresden 45, 02 Görlitz 60, 03 Cottbus 60, 04 Leipzig 60, 06 Halle 70, 07 Gera 55, 08 Zwickau 50, 09 Chemnitz 45, 10 Berlin 10, ' +
  '12 Berlin 22, 13 Berlin 20, 14 Potsdam 70, 15 Fürstenwalde 65, 16 Eberswalde 100, 17 Neubrandenburg 90, 18 Rostock 90, ' +
  '19 Schwerin 80, 20 Hamburg 10, 21 Hamburg 65, 22 Hamburg 30, 23 Lübeck 65, 24 Kiel 75, 25 Itzehoe 110, 26 Oldenburg 90, ' +
  '27 Bremerhaven 75, 28 Bremen 25, 29 Celle 80, 30 Hannover 30, 31 Hildesheim 70, 32 Herford 55, 33 Bielefeld 55, 34 Kassel 65, ' +
  '35 Gießen 65, 36 Fulda 65, 37 Göttingen 60, 38 Braunschweig 70, 39 Magdeburg 90, 40 Düsseldorf 25, 41 Mönchengladbach 30, ' +
  '42 Wuppertal 25, 44 Dortmund 25, 45 Essen 30, 46 Wesel 45, 47 Duisburg 45, 48 Münster 60, 49 Osnabrück 70, 50 Köln 25, ' +
  '51 Köln 50, 52 Aachen 45, 53 Bonn 55, 54 Trier 70, 55 Mainz 60, 56 Koblenz 60, 57 Siegen 50, 58 Hagen 45, 59 Hamm 65, ' +
  '60 Frankfurt am Main 12, 61 Bad Homburg vor der Höhe 35, 63 Rodgau 60, 64 Darmstadt 50, 65 Wiesbaden 45, 66 Saarbrücken 65, ' +
  '67 Kaiserslautern 60, 68 Mannheim 25, 69 Heidelberg 45, 70 Stuttgart 15, 71 Ludwigsburg 40, 72 Tübingen 65, 73 Göppingen 50, ' +
  '74 Heilbronn 70, 75 Pforzheim 45, 76 Karlsruhe 50, 77 Offenburg 45, 78 Villingen-Schwenningen 55, 79 Freiburg 60, ' +
  '80 München 15, 81 München 15, 82 Starnberg 60, 83 Rosenheim 75, 84 Landshut 75, 85 Freising 65, 86 Augsburg 75, 87 Kempten (Allgäu) 65, ' +
  '88 Ravensburg 60, 89 Ulm 50, 90 Nürnberg 20, 91 Ansbach 70, 92 Amberg 75, 93 Regensburg 75, 94 Passau 75, 95 Bayreuth 65, ' +
  '96 Bamberg 65, 97 Würzburg 80, 98 Suhl 50, 99 Erfurt 60';
const MIN_RADIUS_KM = 10;
/** Beyond that an area has rows with the wrong code in it. */
const MAX_SPREAD_KM = 150;

const [, , csv = ''] = process.argv;
const german = GERMANY.split(', ').map((entry) => {
  const [, prefix = '', name = '', radius] = /^(\d\d) (.+) (\d+)$/.exec(entry) ?? [];
  const [town] = findTowns('DE', foldPlaceName(name));
  if (!town) throw new Error(`no town ${name}`);
  return ['DE', prefix, town.lat, town.lng, radius].join('\t');
});

/** Towns by the first three digits of their zip codes. */
const townsByArea = new Map<string, Map<string, Town>>();
const [head = '', ...lines] = gunzipSync(readFileSync(csv)).toString('utf8').trim().split(/\r?\n/);
const columns = head.split(',');
for (const cells of lines.map((line) => line.split(','))) {
  const [city = '', state = '', zip = ''] = ['city', 'state', 'zip'].map((name) =>
    cells[columns.indexOf(name)]?.trim(),
  );
  const towns = findTowns('US', foldPlaceName(city)).filter(({ region }) => region === state);
  if (!/^\d{5}/.test(zip) || towns.length !== 1 || !towns[0]) continue;
  const area = townsByArea.get(zip.slice(0, 3)) ?? new Map<string, Town>();
  townsByArea.set(zip.slice(0, 3), area.set(city, towns[0]));
}
const american = [...townsByArea].flatMap(([prefix, towns]) => {
  const points = [...towns.values()];
  const middle = { lat: median(points.map(({ lat }) => lat)), lng: median(points.map(({ lng }) => lng)) };
  const near = points.filter((point) => distanceKm(point, middle) <= MAX_SPREAD_KM);
  if (near.length === 0 || near.length * 2 < points.length) return [];
  // One town tells where an area is and not how far it reaches.
  const spread = near.length === 1 ? 60 : Math.max(MIN_RADIUS_KM, ...near.map((point) => distanceKm(point, middle)));
  return [['US', prefix, round(middle.lat), round(middle.lng), Math.ceil(spread)].join('\t')];
});
writeFileSync(
  new URL('../../db/seed/postal-areas.tsv', import.meta.url),
  `${[...german, ...american.toSorted()].join('\n')}\n`,
);

function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

function round(degrees: Point['lat']): number {
  return Math.round(degrees * 100) / 100;
}
