import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { countryNameIn, isCountry } from '../../shared/kit/codes.ts';
import type { RawRecord } from '../../shared/normalize/record-type.ts';
import { dataFile } from '../support/data.ts';
import { readBoats } from './dataset-rows.ts';

/** What a row says, read by the shape its own set is known to have; undefined where it says nothing. */
export type Truth = { amount?: number; currency?: string; length?: number; year?: number; country?: string };

/** One row of a boat set: as a scraper would have read it, and what it says. */
export type BoatRow = { raw: RawRecord; country?: string; truth: Truth };

const FOOT = 0.3048;
const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
const NAMES = new Map(
  LETTERS.flatMap((first) => LETTERS.map((second) => first + second))
    .filter(isCountry)
    .map((code) => [countryNameIn(code, 'en')?.toLowerCase() ?? code, code]),
);
for (const [name, code] of [
  ['croatia (hrvatska)', 'HR'],
  ['turkey', 'TR'],
  ['czech republic', 'CZ'],
  ['slovak republic', 'SK'],
  ['russian federation', 'RU'],
] as const)
  NAMES.set(name, code);

const SIGNS: Record<string, string> = {
  EUR: 'EUR',
  CHF: 'CHF',
  DKK: 'DKK',
  '£': 'GBP',
  'Â£': 'GBP',
  US$: 'USD',
  NZ$: 'NZD',
};

/** The boat sets that are here, and two of other goods for their prices, by name. */
export function readSets(): Map<string, BoatRow[]> {
  const sets: [string, string, (text: string) => BoatRow[]][] = [
    ['boat24 2020', 'boats-boat24-2020/boat_data.dev.csv.gz', (text) => readBoats(text).map(fromBoat24)],
    [
      'boat24 2022, raw rows',
      'boats-boat24-2022-specs/sailboats_raw_sample.csv',
      (text) => readBoats(text).map(fromRaw24),
    ],
    [
      'sailboatlistings',
      'boats-sailboatlistings/raw_listings.dev.csv.gz',
      (text) => readBoats(text).map(fromSailboats),
    ],
    ['yachtworld 2016', 'boats-yachtworld-2016-specs/yachtworld_2016.dev.jsonl.gz', readYachtworld],
    ['kleinanzeigen, blocket 2026', 'boats-kleinanzeigen-blocket-2026/boat_data.dev.json', readAds],
    ['boattrader 2019', 'boats-boattrader-2019/boattrader_newest.csv.gz', (text) => readBoats(text).map(fromTrader)],
    ['olx cars 2020', 'classifieds-olx-in-cars-2020/olx_in_cars.dev.csv.gz', (text) => readBoats(text).map(fromOlx)],
    ['lazada', 'marketplace-samples-asia/lazada-products.csv.gz', (text) => readBoats(text).map(fromLazada)],
  ];
  const found = new Map<string, BoatRow[]>();
  for (const [name, file, read] of sets) {
    const path = dataFile(file);
    if (path === undefined) continue;
    const bytes = readFileSync(path);
    found.set(name, read((file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8')));
  }
  return found;
}

type Cells = Record<string, string | undefined>;

function fromBoat24(row: Cells): BoatRow {
  const [sign = '', digits = ''] = (row.Price ?? '').split(' ');
  const country = Buffer.from((row.Location ?? '').split('»')[0]?.replace(/Â\s*$/, '') ?? '', 'latin1').toString(
    'utf8',
  );
  return {
    raw: rawOf(row.row, row.Manufacturer, {
      price: row.Price,
      location: { text: row.Location },
      properties: filled({
        'Year Built': row['Year Built'],
        Length: row.Length && `${row.Length} m`,
        Material: row.Material,
      }),
    }),
    truth: {
      amount: Number(digits),
      currency: SIGNS[sign],
      length: Number(row.Length),
      year: Number(row['Year Built']) || undefined,
      country: NAMES.get(country.trim().toLowerCase()),
    },
  };
}

function fromRaw24(row: Cells): BoatRow {
  const cell = (name: string) => (row[name] === 'NA' ? undefined : row[name]);
  const price = cell('price');
  return {
    raw: rawOf(row.id, row.model, {
      price,
      location: { text: `${cell('region') ?? ''}${cell('location') ?? ''}` },
      properties: filled({ Year: cell('year'), 'Length x Width': cell('length_width'), Draft: cell('draft') }),
    }),
    truth: {
      amount: price === undefined ? undefined : Number(price.replace(/\D/g, '')),
      currency: price?.slice(0, 3),
      length: cell('length_width') === undefined ? undefined : Number.parseFloat(cell('length_width') ?? ''),
      year: cell('year') === undefined ? undefined : Number(cell('year')),
      country: NAMES.get((cell('region') ?? '').split('»')[0]?.trim().toLowerCase() ?? ''),
    },
  };
}

function fromSailboats(row: Cells): BoatRow {
  const cells = new Map(Object.entries(row).map(([name, value]) => [name.replace(/[\s:]/g, ''), value ?? '']));
  const cell = (name: string) => cells.get(name) || undefined;
  const [city = '', place = ''] = (cell('Location') ?? '').split(',').map((part) => part.trim().toLowerCase());
  const isAbroad = place === 'outside united states' || place === '';
  const [feet, inches] = (cell('Length') ?? '').match(/\d+(?:\.\d+)?/g) ?? [];
  const extra = inches !== undefined && Number(inches) < 12 ? Number(inches) / 12 : 0;
  const year = Number(cell('Year'));
  return {
    raw: rawOf(row[''], cell('Model'), {
      price: cell('Asking'),
      location: { text: cell('Location') },
      properties: filled({ Year: cell('Year'), Length: cell('Length'), Beam: cell('Beam'), Hull: cell('Hull') }),
    }),
    country: 'US',
    truth: {
      amount: cell('Asking') === undefined ? undefined : Number(cell('Asking')?.replace(/\D/g, '')),
      currency: 'USD',
      length: feet === undefined ? undefined : (Number(feet) + extra) * FOOT,
      year: year >= 1850 ? year : undefined,
      country: isAbroad ? NAMES.get(city) : 'US',
    },
  };
}

function readYachtworld(text: string): BoatRow[] {
  return text
    .trim()
    .split('\n')
    .map((line): BoatRow => {
      const row = JSON.parse(line) as Record<'id' | 'name' | 'price' | 'located' | 'loa' | 'year', string> & {
        full_specs: Record<string, string>;
      };
      const [, sign = '', digits = ''] = /^(\D+?)\s+([\d,]+)/.exec(row.price) ?? [];
      const loa = row.full_specs.LOA ?? '';
      const metric = /^(\d{1,2}[.,]?\d*)\s?(?:m(?:\s|\(|$)|$)/.exec(loa)?.[1]?.replace(',', '.');
      const [, feet, inches] = /^(\d+)\s?ft(?:\s(\d+)\s?in)?/.exec(loa) ?? [];
      const length = metric === undefined ? feet && (Number(feet) + Number(inches ?? 0) / 12) * FOOT : Number(metric);
      return {
        raw: rawOf(row.id, row.name, { price: row.price, location: { text: row.located }, properties: row.full_specs }),
        truth: {
          amount: Number(digits.replaceAll(',', '')),
          currency: SIGNS[sign],
          length: length === '' || length === undefined ? undefined : length,
          year: Number(row.year),
          country: NAMES.get(row.located.split(',').at(-1)?.trim().toLowerCase() ?? ''),
        },
      };
    });
}

function readAds(text: string): BoatRow[] {
  const ads = JSON.parse(text) as Record<string, { title: string; price: string; location: string; source: string }>;
  return Object.entries(ads).map(([id, ad]): BoatRow => {
    const country = ad.source === 'blocket.se' ? 'SE' : 'DE';
    const first = /^[\d.\s]+(?=€|kr)/.exec(ad.price)?.[0].replace(/\D/g, '');
    const isOpen = /^(?:VB|Zu verschenken)$/.test(ad.price);
    return {
      raw: rawOf(id, ad.title, { price: ad.price, location: { text: ad.location } }),
      country,
      truth: {
        amount: first === undefined ? (isOpen ? 0 : undefined) : Number(first),
        currency: first === undefined && !isOpen ? undefined : country === 'SE' ? 'SEK' : 'EUR',
        country,
      },
    };
  });
}

function fromTrader(row: Cells): BoatRow {
  return {
    raw: rawOf(row.id, `${row.make} ${row.model}`, {
      price: row.price ? `$${Number(row.price).toLocaleString('en-US')}` : undefined,
      location: { text: [row.city, [row.state, row.zip].filter(Boolean).join(' ')].filter(Boolean).join(', ') },
      properties: filled({ Year: row.year, Length: row.length_ft && `${row.length_ft}'` }),
    }),
    country: 'US',
    truth: {
      amount: row.price ? Number(row.price) : undefined,
      currency: row.price ? 'USD' : undefined,
      length: row.length_ft ? Number(row.length_ft) * FOOT : undefined,
      year: row.year ? Number(row.year) : undefined,
      country: 'US',
    },
  };
}

function fromOlx(row: Cells): BoatRow {
  const digits = /^₹ [\d,]+$/.test(row.itemPrice ?? '') ? row.itemPrice?.replace(/\D/g, '') : undefined;
  const isPlaced = /,.*,/.test(row.itemLocation ?? '');
  return {
    raw: rawOf(row.itemId, row.itemTitle, { price: row.itemPrice, location: { text: row.itemLocation } }),
    country: 'IN',
    truth: {
      amount: digits === undefined ? undefined : Number(digits),
      currency: 'INR',
      country: isPlaced ? 'IN' : undefined,
    },
  };
}

function fromLazada(row: Cells): BoatRow {
  const amount = row.final_price ? Math.round(Number(row.final_price) * 1000) / 1000 : undefined;
  return {
    raw: rawOf(row.sku, row.title, { price: row.final_price, currency: row.currency }),
    truth: { amount, currency: row.currency },
  };
}

function rawOf(id: string | undefined, title: string | undefined, facts: Partial<RawRecord>): RawRecord {
  return {
    url: `https://portal.example/${id}`,
    title: title || 'A boat for sale',
    breadcrumbs: ['Boats', 'Any', 'This'],
    ...facts,
  };
}

function filled(properties: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(Object.entries(properties).flatMap(([name, text]) => (text ? [[name, text]] : [])));
}
