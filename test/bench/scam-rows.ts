import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { dataFile } from '../support/data.ts';
import { readBoats, type Boat } from './dataset-rows.ts';

/** A real ad as a member would have published it. */
export type HonestRow = {
  domain: string;
  part: 'fit' | 'report';
  /** Rows of one seller, as far as the source tells; the same ad twice is one seller's re-post. */
  seller: string;
  title: string;
  description: string;
  category: string;
  condition: 'new' | 'good';
  amount: number;
  currency: string;
  brand?: string | undefined;
  model?: string | undefined;
  year?: number | undefined;
  length_m?: number | undefined;
};

type Read = Omit<HonestRow, 'domain' | 'part' | 'seller'> & { seller?: string | undefined };

const FOOT_M = 0.3048;

/** Thresholds are fitted on the first three; the others are reported on. */
const domains: { domain: string; part: HonestRow['part']; file: string; read: (text: string) => Read[] }[] = [
  {
    domain: 'boattrader',
    part: 'fit',
    file: 'boats-boattrader-2019/boattrader_newest.csv.gz',
    read: (text) => readBoats(text).map(fromTraderRow),
  },
  {
    domain: 'craigslist',
    part: 'fit',
    file: 'classifieds-craigslist-2017/craigslist_2017.dev.jsonl.gz',
    read: readCraigslist,
  },
  {
    domain: 'bikedekho',
    part: 'fit',
    file: 'dedup-used-bikes/bikedekho.csv.gz',
    read: (text) => readBoats(text).map(fromBike),
  },
  {
    domain: 'bikewale',
    part: 'report',
    file: 'dedup-used-bikes/bikewale.csv.gz',
    read: (text) => readBoats(text).map(fromBike),
  },
  {
    domain: 'sailboatlistings',
    part: 'report',
    file: 'boats-sailboatlistings/raw_listings.dev.csv.gz',
    read: (text) => readBoats(text.replaceAll('\u00A0', ' ')).map(fromSailboat),
  },
  {
    domain: 'boat24',
    part: 'report',
    file: 'boats-boat24-2020/boat_data.dev.csv.gz',
    read: (text) => readBoats(text).map(fromBoat24Row),
  },
  {
    domain: 'olx cars',
    part: 'report',
    file: 'classifieds-olx-in-cars-2020/olx_in_cars.dev.csv.gz',
    read: (text) => readBoats(text).map(fromCar),
  },
  {
    domain: 'lazada',
    part: 'report',
    file: 'marketplace-samples-asia/lazada-products.csv.gz',
    read: (text) => readBoats(text).map(fromLazadaRow),
  },
  {
    domain: 'shein',
    part: 'report',
    file: 'marketplace-samples-asia/shein-products.csv.gz',
    read: (text) => readBoats(text).map(fromShein),
  },
];

/** The honest real rows by domain, at most so many of each, spread over the file; undefined where the data is absent. */
export function readHonestRows(most: number): HonestRow[] | undefined {
  const all: HonestRow[] = [];
  for (const { domain, part, file, read } of domains) {
    const path = dataFile(file);
    if (!path) return undefined;
    const rows = read(gunzipSync(readFileSync(path)).toString('utf8')).filter(({ title }) => title.length >= 3);
    const step = Math.max(1, rows.length / most);
    for (let at = 0; at < rows.length; at += step) {
      const row = rows[Math.floor(at)]!;
      const seller = `${domain} ${row.seller ?? `${row.title} ${row.description}`}`;
      all.push({
        ...row,
        domain,
        part,
        seller,
        title: row.title.slice(0, 120),
        description: row.description.slice(0, 5_000),
      });
    }
  }
  return all;
}

function fromTraderRow(row: Boat): Read {
  return {
    title: [row.year, row.make, row.model].filter(Boolean).join(' '),
    description: '',
    seller: row.sellerId || undefined,
    category: row.type === 'sail' ? 'sailboats' : 'motorboats',
    condition: row.condition === 'new' ? 'new' : 'good',
    amount: numberIn(row.price) ?? 0,
    currency: 'USD',
    brand: row.make || undefined,
    model: row.model || undefined,
    year: numberIn(row.year),
    length_m: metresOf(numberIn(row.length_ft)),
  };
}

function readCraigslist(text: string): Read[] {
  const categories: Record<string, string> = {
    car: 'cars',
    bike: 'bicycles',
    housing: 'apartments-for-rent',
    phone: 'phones',
    furniture: 'furniture',
  };
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      const {
        title,
        description = [],
        price,
        category,
      } = JSON.parse(line) as {
        title: string;
        description?: string[];
        price: string | number;
        category: string;
      };
      return {
        title,
        description: description.join('\n'),
        category: categories[category] ?? 'electronics',
        condition: 'good',
        amount: Number(price) || 0,
        currency: 'USD',
      };
    });
}

function fromBike(row: Boat): Read {
  const [brand, ...rest] = (row.bike_name ?? '').split(' ');
  return {
    title: `${row.bike_name} ${row.model_year}, ${row.city_posted}, ${row.km_driven} km`,
    description: '',
    category: 'motorcycles',
    condition: 'good',
    amount: numberIn(row.price) ?? 0,
    currency: 'INR',
    brand,
    model: rest.join(' ') || undefined,
    year: numberIn(row.model_year),
  };
}

function fromSailboat(row: Boat): Read {
  const column = (name: string) => Object.entries(row).find(([key]) => key.trim().startsWith(name))?.[1] ?? '';
  const [, feet, inches] = /(\d+)(?:[.'](\d+))?/.exec(column('Length')) ?? [];
  const [brand, ...rest] = column('Model').split(' ');
  return {
    title: `${column('Model')} ${column('Year')}`,
    description: column('Engine'),
    category: 'sailboats',
    condition: 'good',
    amount: numberIn(column('Asking')) ?? 0,
    currency: 'USD',
    brand,
    model: rest.join(' ') || undefined,
    year: numberIn(column('Year')),
    length_m: feet ? metresOf(Number(feet) + Number(inches ?? 0) / 12) : undefined,
  };
}

function fromBoat24Row(row: Boat): Read {
  const [code = '', amount] = (row.Price ?? '').split(' ');
  const currency = ({ 'Â£': 'GBP', '£': 'GBP' } as Record<string, string>)[code] ?? code;
  return {
    title: [row.Manufacturer?.replace(' power boats', ''), row['Boat Type'], row['Year Built']]
      .filter(Boolean)
      .join(' '),
    description: '',
    category: /sail/i.test(row['Boat Type'] ?? '') ? 'sailboats' : 'motorboats',
    condition: /new/i.test(row.Type ?? '') ? 'new' : 'good',
    amount: numberIn(amount) ?? 0,
    currency,
    brand: row.Manufacturer?.replace(' power boats', '') || undefined,
    year: numberIn(row['Year Built']) || undefined,
    length_m: Number(row.Length) || undefined,
  };
}

function fromCar(row: Boat): Read {
  const [brand, model] = (row.itemTitle ?? '').split(' ');
  return {
    title: row.itemTitle ?? '',
    description: row.itemDescriptionContent ?? '',
    category: 'cars',
    condition: 'good',
    amount: numberIn(row.itemPrice) ?? 0,
    currency: 'INR',
    brand,
    model,
    year: numberIn(/\b(?:19|20)\d{2}\b/.exec(row.itemTitle ?? '')?.[0]),
  };
}

const fromLazadaRow = (row: Boat): Read => ({
  title: row.title ?? '',
  description: row.product_description ?? '',
  seller: row.seller_name || undefined,
  category: 'electronics',
  condition: 'new',
  amount: numberIn(row.final_price) ?? 0,
  currency: row.currency || 'IDR',
  brand: row.brand && row.brand !== 'null' ? row.brand : undefined,
});

const fromShein = (row: Boat): Read => ({
  title: row.product_name ?? '',
  description: row.description ?? '',
  seller: 'shein',
  category: 'womens-clothing',
  condition: 'new',
  amount: numberIn(row.final_price) ?? 0,
  currency: row.currency || 'USD',
  brand: row.brand && row.brand !== 'null' ? row.brand : undefined,
});

function numberIn(text: string | undefined): number | undefined {
  const digits = (text ?? '').replaceAll(/[^\d.]/g, '');
  const value = Number(digits);
  return digits !== '' && Number.isFinite(value) ? value : undefined;
}

const metresOf = (feet: number | undefined) => (feet ? Math.round(feet * FOOT_M * 100) / 100 : undefined);
