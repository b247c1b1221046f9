import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { buildCatalog } from '../../../shared/catalog/tree.ts';
import { profileOf } from '../../../shared/profiles/read-profile.ts';
import { dataFile } from '../../support/data.ts';

const nautical = buildCatalog(profileOf('nautical'));
const general = buildCatalog(profileOf('general'));
const title = 'x';

test('a valid id is taken as it is', () => {
  expect(nautical.mapCategory({ category_id: 'sails', category_hint: 'Motorboats', title })).toEqual({
    id: 'sails',
    confidence: 1,
  });
});

test('an unknown id still helps as a word', () => {
  expect(nautical.mapCategory({ category_id: 'sail-boats', title }).id).toBe('sailboats');
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
  expect(nautical.mapCategory({ category_hint, title }).id).toBe(id);
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
  expect(nautical.mapCategory({ title: text }).id).toBe(id);
});

test('the leaf of the breadcrumbs outweighs the root and the title', () => {
  const breadcrumbs = ['Home', 'Boats', 'Sailing', 'Trimarans', 'Corsair 28 with outboard'];
  expect(nautical.mapCategory({ breadcrumbs, title: 'Corsair 28 with outboard' }).id).toBe('trimarans');
});

test('words that say nothing lead to the fallback with no confidence', () => {
  expect(nautical.mapCategory({ title: 'Something nice' })).toEqual({ id: 'other-boats', confidence: 0 });
  expect(general.mapCategory({ title: 'Something nice' })).toEqual({ id: 'other', confidence: 0 });
});

test('a maker alone is weaker evidence than a word', () => {
  const maker = nautical.mapCategory({ title: 'Hallberg-Rassy 352' });
  const word = nautical.mapCategory({ title: 'Segelyacht 11 m' });
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
  expect(general.mapCategory({ title: text }).id).toBe(id);
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
        const { id, confidence } = nautical.mapCategory({
          category_hint: row['boatClass'],
          title: `${row['make']} ${row['model']}`,
        });
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
      const { id, confidence } = nautical.mapCategory({ category_hint: `${row['base_type']} > ${row['type']}`, title });
      const roots = row['base_type'] === 'Sailboat' ? ['sailboats', 'yachts'] : powerRoots;
      return confidence > 0.5 && roots.includes(nautical.path(id)[0] ?? '');
    });
    expect(right.length / rows.length).toBeGreaterThan(0.995);
  });
});
