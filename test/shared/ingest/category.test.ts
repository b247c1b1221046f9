import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { buildCatalog } from '../../../shared/catalog/tree.ts';
import { mapCategory } from '../../../shared/catalog/category.ts';
import { profileOf } from '../../../shared/profiles/index.ts';
import { dataFile } from '../../support/data.ts';

const nautical = buildCatalog(profileOf('nautical'));
const general = buildCatalog(profileOf('general'));
const title = 'x';

test('a valid id is taken as it is', () => {
  expect(mapCategory({ category_id: 'sails', category_hint: 'Motorboats', title }, nautical)).toEqual({
    id: 'sails',
    confidence: 1,
  });
});

test('an unknown id still helps as a word', () => {
  expect(mapCategory({ category_id: 'sail-boats', title }, nautical).id).toBe('sailboats');
});

test.each([
  ['Sailing Yacht', 'cruising'],
  ['Boats > Power Boats > Center Console', 'center-consoles'],
  ['power-pontoon', 'pontoon-boats'],
  ['Motorboote » Kajütboot', 'cabin-cruisers'],
  ['Voiliers', 'sailboats'],
  ['Semirrígida', 'ribs'],
  ['Gommoni', 'inflatable-boats'],
  ['모터보트', 'motorboats'],
  ['ヨット', 'sailboats'],
  ['Accastillage et winchs', 'deck-hardware'],
])('the category text %s means %s', (category_hint, id) => {
  expect(mapCategory({ category_hint, title }, nautical).id).toBe(id);
});

test.each([
  ['Segelyacht Dehler 34 mit Trailer', 'cruising'],
  ['Bootstrailer für Schlauchboote', 'boat-trailers'],
  ['Gebrauchtes Großsegel für Hanse 40', 'sails'],
  ['Sailboat winch Lewmar 40', 'deck-hardware'],
  ['Yamaha 150 hp outboard motor', 'outboards'],
  ['2019 Sea Ray Sundancer 320', 'motorboats'],
  ['Hobie Cat 16', 'sailing-catamarans'],
  ['Vendo velero de 11 metros', 'sailboats'],
  ['Gilet de sauvetage enfant', 'safety-equipment'],
  ['중고 선외기 60마력', 'outboards'],
  ['船外機 9.9馬力', 'outboards'],
])('the title %s means %s', (text, id) => {
  expect(mapCategory({ title: text }, nautical).id).toBe(id);
});

test('the leaf of the breadcrumbs outweighs the root and the title', () => {
  const breadcrumbs = ['Home', 'Boats', 'Sailing', 'Trimarans', 'Corsair 28 with outboard'];
  expect(mapCategory({ breadcrumbs, title: 'Corsair 28 with outboard' }, nautical).id).toBe('trimarans');
});

test('words that say nothing lead to the fallback with no confidence', () => {
  expect(mapCategory({ title: 'Something nice' }, nautical)).toEqual({ id: 'other-boats', confidence: 0 });
  expect(mapCategory({ title: 'Something nice' }, general)).toEqual({ id: 'other', confidence: 0 });
});

test('a maker alone is weaker evidence than a word', () => {
  const maker = mapCategory({ title: 'Hallberg-Rassy 352' }, nautical);
  const word = mapCategory({ title: 'Segelyacht 11 m' }, nautical);
  expect([maker.id, word.id]).toEqual(['cruising', 'cruising']);
  expect(maker.confidence).toBeLessThan(word.confidence);
});

test.each([
  ['2008 Honda Civic LX Sedan', 'cars'],
  ['Leather phone case for iPhone 12', 'phone-accessories'],
  ['iPhone 12 128 GB unlocked', 'phones'],
  ['Trek mountain bike', 'bicycles'],
  ['Queen mattress and box spring', 'beds-mattresses'],
  ['2 bedroom apartment for rent', 'apartments-for-rent'],
  ['Waschmaschine Miele', 'laundry-appliances'],
  ['Guitarra española', 'musical-instruments'],
])('in the general tree %s means %s', (text, id) => {
  expect(mapCategory({ title: text }, general).id).toBe(id);
});

const columnsOf = (line: string) =>
  [...line.matchAll(/"((?:[^"]|"")*)"|([^,]+)|(?<=,)(?=,|$)/g)].map((cell) => cell[1] ?? cell[2] ?? '');
function rowsOf(path: string): Record<string, string>[] {
  const [header = '', ...lines] = gunzipSync(readFileSync(path)).toString('utf8').trim().split('\n');
  const names = columnsOf(header);
  return lines.map((line) => Object.fromEntries(columnsOf(line).map((cell, at) => [names[at] ?? '', cell])));
}

const powerRoots = ['motorboats', 'yachts', 'ribs', 'houseboats', 'small-boats'];
const boattrader = dataFile('boats-boattrader-2019/boattrader_newest.csv.gz');
const boat24 = dataFile('boats-boat24-2022-specs/boat24_specs.dev.csv.gz');

describe('on real portals', () => {
  test.skipIf(boattrader === undefined)(
    'at least 99.5 % of the classes of BoatTrader are mapped, to the right side',
    () => {
      const rows = rowsOf(boattrader ?? '');
      expect(rows.length).toBeGreaterThan(9_000);
      const right = rows.filter((row) => {
        const { id, confidence } = mapCategory(
          { category_hint: row['boatClass'], title: `${row['make']} ${row['model']}` },
          nautical,
        );
        const root = nautical.path(id)[0] ?? '';
        return confidence > 0.5 && (row['type'] === 'sail' ? root === 'sailboats' : powerRoots.includes(root));
      });
      expect(right.length / rows.length).toBeGreaterThan(0.995);
    },
  );

  test.skipIf(boat24 === undefined)('at least 99.5 % of the types of boat24 are mapped, to the right side', () => {
    const rows = rowsOf(boat24 ?? '').filter(
      (row) => row['base_type'] === 'Sailboat' || row['base_type'] === 'Motorboat',
    );
    expect(rows.length).toBeGreaterThan(9_000);
    const right = rows.filter((row) => {
      const { id, confidence } = mapCategory(
        { category_hint: `${row['base_type']} > ${row['type']}`, title },
        nautical,
      );
      const roots = row['base_type'] === 'Sailboat' ? ['sailboats', 'yachts'] : powerRoots;
      return confidence > 0.5 && roots.includes(nautical.path(id)[0] ?? '');
    });
    expect(right.length / rows.length).toBeGreaterThan(0.995);
  });
});
