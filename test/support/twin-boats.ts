import type { TestApp, TestUser } from './app.ts';
import { storeListings, type Fields, type StoredListing } from '../api/listings/search-fixture.ts';

const boats = [
  [
    'Bavaria',
    '37 Cruiser',
    2004,
    'Seestern',
    'kept in a berth in Kiel, serviced every spring by the same yard, with sails of 2019',
  ],
  [
    'Contest',
    '38 S',
    1987,
    'Zeevogel',
    'a dutch ketch on which the rigging, the heating and both water tanks were renewed',
  ],
  [
    'Najad',
    '343',
    1995,
    'Havsula',
    'one owner from new, teak laid in 2011, a windvane, a liferaft and solar cells on the arch',
  ],
  [
    'Comet',
    '910',
    1981,
    'Stella',
    'osmosis treated, new cushions, an overhauled diesel and a tent for winters in the water',
  ],
  [
    'Dufour',
    '34 Performance',
    2006,
    'Mistral',
    'raced on wednesdays, laminate sails, folding propeller, keel faired two winters ago',
  ],
  [
    'Westerly',
    'Griffon',
    1979,
    'Puffin',
    'bilge keels for tidal harbours, a coal stove, new seacocks and a trailer for the road',
  ],
] as const;

/** A boat that is told apart from the others by everything that is said of it. */
export function boat(index: number, fields: Fields = {}): Fields {
  const [brand, model, year, name, told] = boats[index % boats.length]!;
  return {
    title: `${brand} ${model} ${year} ${name}`,
    description: `${name}, our ${brand} ${model}: ${told}. The survey of ${name} can be seen at any time, and a trial sail is welcome.`,
    attributes: { brand, model },
    year,
    length_m: 9 + index / 2,
    price_amount: 20_000 + 7_000 * index,
    ...fields,
  };
}

/** The number on a boat's hull, another one for each boat. */
export const hullOf = (index: number): Fields => ({
  boat: { type: 'boat', hull_id: `DE-QSY${41_000 + 37 * index}K304` },
});

/** The same boats, each offered by two sellers; every boat twice in a row. */
export async function storeTwins(
  app: Pick<TestApp, 'database'>,
  [one, other]: readonly [TestUser, TestUser],
  count: number,
  fieldsOf: (index: number) => Fields = () => ({}),
): Promise<[StoredListing, StoredListing][]> {
  const all = Array.from({ length: count }, (_, index) => boat(index, fieldsOf(index)));
  const [own, others] = [await storeListings(app, one, all), await storeListings(app, other, all)];
  return own.flatMap((listing, index) => (others[index] ? [[listing, others[index]]] : []));
}
