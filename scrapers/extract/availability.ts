import { termOf } from './items.ts';

const NAMES = [
  'BackOrder',
  'Discontinued',
  'InStock',
  'InStoreOnly',
  'LimitedAvailability',
  'MadeToOrder',
  'OnlineOnly',
  'OutOfStock',
  'PreOrder',
  'PreSale',
  'Reserved',
  'SoldOut',
];

const BY_TERM = new Map(NAMES.map((name) => [name.toLowerCase(), name]));

const SPELLINGS = new Map(
  Object.entries({
    available: 'InStock',
    availablefororder: 'InStock',
    availabletoorder: 'InStock',
    instock: 'InStock',
    oos: 'OutOfStock',
    unavailable: 'OutOfStock',
    currentlyunavailable: 'OutOfStock',
    notavailable: 'OutOfStock',
    notinstock: 'OutOfStock',
    pending: 'Reserved',
    preorderable: 'PreOrder',
    sold: 'SoldOut',
  }),
);

/** The schema.org ItemAvailability name of a link, term or shop spelling (`in stock`, `oos`), or undefined. */
export function canonicalAvailability(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const term = termOf(text).replace(/[^a-z]/g, '');
  return BY_TERM.get(term) ?? SPELLINGS.get(term);
}
