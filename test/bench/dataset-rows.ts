import { ulid } from 'ulid';
import { countries, extras, firstNames, lastNames, phrases, yards } from './dataset-words.ts';

/** One row of a market's file, by column name. */
export type Boat = Record<string, string>;

export const SELLERS = 3_000;
const START = Date.UTC(2024, 0, 1);
const SPAN_MS = 600 * 86_400_000;

/** The rows of a CSV text with a header line; quoted fields may hold commas, quotes and line breaks. */
export function readBoats(csv: string): Boat[] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (const match of csv.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g)) {
    row.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '');
    if (match[3] === ',') continue;
    if (row.length > 1) rows.push(row);
    row = [];
    if (match.index + match[0].length >= csv.length) break;
  }
  const [header = [], ...lines] = rows;
  return lines.map((line) => Object.fromEntries(header.map((name, index) => [name, line[index] ?? ''])));
}

export function makeSeller(index: number): Record<string, unknown> {
  const since = new Date(START - (index % 900) * 86_400_000).toISOString();
  return {
    id: sellerId(index),
    email: `seller${index}@example.com`,
    name: `${pick(firstNames, index)} ${pick(lastNames, index * 7 + 3)}`,
    type: index % 9 === 0 ? 'agent' : 'human',
    role: 'user',
    verified: index % 3 !== 0,
    email_notifications: true,
    language: 'en',
    session_epoch: 0,
    created_at: since,
    updated_at: since,
  };
}

/** The listing number `index` of `count`, in the order of publication: a real boat with varied price, date, seller and text. */
export function makeListing(boats: Boat[], index: number, count: number): Record<string, unknown> {
  const boat = boats[(index * 7_919) % boats.length] ?? {};
  const noise = mix(index);
  const published = START + Math.floor((index / count) * SPAN_MS) + (noise % 60_000);
  const facts = 'boatClass' in boat ? traderFacts(boat) : specsFacts(boat);
  const attributes = attributesOf(facts);
  const title = `${facts.year ?? 'Used'} ${facts.brand} ${facts.model}`.slice(0, 110);
  const status = statusOf(noise);
  return {
    id: `lst_${ulid(published)}`,
    slug: `${title
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replaceAll(/^-|-$/g, '')}-${index.toString(36)}`,
    seller_id: sellerId(Math.floor(SELLERS * ((mix(index + 1) % 1_000) / 1_000) ** 2)),
    category_id: facts.category,
    status,
    type: noise % 50 === 0 ? 'wanted' : 'sale',
    condition: facts.condition,
    title,
    price_amount: facts.price === 0 ? 0 : Math.round((facts.price * (0.8 + (noise % 400) / 1_000)) / 50) * 50 + 50,
    price_currency: facts.currency,
    price_negotiable: noise % 2 === 0,
    country: facts.country,
    city: facts.city,
    postal_code: facts.zip || null,
    lat: null,
    lng: null,
    shipping: noise % 7 === 0,
    source: 'seed',
    language: 'en',
    premium_type: noise % 300 === 0 ? 'featured' : noise % 300 === 1 ? 'urgent' : null,
    premium_until: noise % 300 < 2 ? '2099-01-01T00:00:00Z' : null,
    created_at: new Date(published - 60_000).toISOString(),
    updated_at: new Date(published).toISOString(),
    published_at: status === 'draft' ? null : new Date(published).toISOString(),
    expires_at: new Date(published + 30 * 86_400_000).toISOString(),
    version: 1,
    tags: [pick(extras, noise), pick(extras, noise + 5)].map((tag) => tag.slice(0, 50)),
    attributes,
    year: facts.year ?? null,
    length_m: facts.length || null,
    images: Array.from({ length: 1 + (noise % 5) }, (_, place) => imageOf(index * 10 + place, title)),
    description: describe(facts, noise),
  };
}

type Facts = ReturnType<typeof traderFacts>;

function traderFacts(boat: Boat) {
  const length = number(boat.length_ft) * 0.3048;
  return {
    brand: boat.make || 'Unknown',
    model: boat.model || 'Custom',
    year: number(boat.year) || undefined,
    length: round(length),
    beam: round(number(boat.beam_ft) * 0.3048),
    kind: (boat.boatClass ?? '').replace(/^(power|sail|small|pwc)-?/, '') || 'boat',
    material: boat.hullMaterial || undefined,
    fuel: boat.fuelType === 'gasoline' ? 'petrol' : boat.fuelType || undefined,
    power: number(boat.totalHP) || undefined,
    category: traderCategory(boat),
    condition: boat.condition === 'new' ? 'new' : 'good',
    price: number(boat.price),
    currency: 'USD',
    country: /^[A-Z]{2}$/.test(boat.country ?? '') ? (boat.country ?? 'US') : 'US',
    city: boat.city || 'Miami',
    zip: boat.zip ?? '',
  };
}

function specsFacts(boat: Boat): Facts {
  return {
    brand: pick(yards, number(boat.id)),
    model: `${boat.type?.trim() || 'Yacht'} ${Math.round(number(boat.length))}`,
    year: number(boat.year) || undefined,
    length: round(number(boat.length)),
    beam: round(number(boat.width)),
    kind: boat.type?.trim().toLowerCase() || 'sailboat',
    material: boat.material === 'GRP' ? 'fiberglass' : boat.material?.toLowerCase() || undefined,
    fuel: /diesel/i.test(boat.fuel_type ?? '') ? 'diesel' : boat.fuel_type ? 'petrol' : undefined,
    power: number(boat.hp_eng) || undefined,
    category: boat.base_type === 'Sailboat' ? 'cruising' : number(boat.length) > 12 ? 'motor-yachts' : 'cabin-cruisers',
    condition: boat.condition === 'new' ? 'new' : 'fair',
    price: number(boat.price),
    currency: { C: 'CHF', E: 'EUR', U: 'USD', D: 'DKK', S: 'SEK', '£': 'GBP' }[boat.currency ?? ''] ?? 'EUR',
    country: countries[boat.country ?? ''] ?? 'DE',
    city: boat.location?.slice(0, 90) || 'Kiel',
    zip: '',
  };
}

function attributesOf({
  brand,
  model,
  year,
  length,
  beam,
  kind,
  material,
  fuel,
  power,
}: Facts): Record<string, unknown> {
  const all = {
    brand,
    model,
    year,
    length: length || undefined,
    beam: beam || undefined,
    boat_type: kind,
    material,
    fuel_type: fuel,
    engine_power: power,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

function traderCategory({ boatClass = '', type }: Boat): string {
  const known: Record<string, string> = {
    'power-bass': 'fishing-boats',
    'power-pontoon': 'pontoon-boats',
    'power-bowrider': 'bowriders',
    'power-center': 'center-consoles',
    'power-cuddy': 'sport-boats',
    'power-cruiser': 'cabin-cruisers',
    'power-deck': 'deck-boats',
    'power-jon': 'jon-boats',
    'power-aluminum': 'fishing-boats',
    'power-skiwake': 'ski-wake-boats',
    'power-saltfish': 'fishing-boats',
    'power-bay': 'fishing-boats',
  };
  if (known[boatClass]) return known[boatClass];
  if (boatClass.includes('pwc')) return 'personal-watercraft';
  return type === 'sail' ? 'cruising' : 'runabouts';
}

function statusOf(noise: number): string {
  const share = noise % 100;
  if (share < 90) return 'active';
  return (
    {
      90: 'sold',
      91: 'sold',
      92: 'sold',
      93: 'expired',
      94: 'expired',
      95: 'expired',
      96: 'paused',
      97: 'draft',
      98: 'flagged',
    }[share] ?? 'active'
  );
}

function imageOf(seed: number, title: string) {
  const hash = [1, 2, 3, 4, 5, 6, 7, 8]
    .map((part) =>
      mix(seed * 9 + part)
        .toString(16)
        .padStart(8, '0'),
    )
    .join('');
  return {
    key: `images/${hash.slice(0, 2)}/${hash}.webp`,
    thumbnail_key: `images/${hash.slice(0, 2)}/${hash}-thumb.webp`,
    alt: title,
  };
}

function describe(
  { brand, model, year, length, beam, kind, material, fuel, power, city }: Facts,
  noise: number,
): string {
  const facts = [
    `${brand} ${model}${year ? `, built in ${year}` : ''}, lying in ${city}.`,
    length ? `She is ${length} m long${beam ? ` and ${beam} m wide` : ''}.` : '',
    material ? `The ${kind} has a hull of ${material}.` : '',
    power ? `${power} hp${fuel ? ` of ${fuel}` : ''} push her along.` : '',
  ];
  const sentences = Array.from({ length: 4 + (noise % 8) }, (_, place) => pick(phrases, mix(noise + place)));
  return [...facts.filter(Boolean), ...sentences].join(' ');
}

const number = (text: string | undefined) => Number(text) || 0;
const round = (value: number) => Math.round(value * 100) / 100;
const sellerId = (index: number) => `usr_01HJXBENCH${String(index).padStart(16, '0')}`;
const pick = <T>(list: readonly T[], index: number): T => list[Math.abs(Math.trunc(index)) % list.length]!;

/** A fixed number of 32 bits per index, without a visible pattern. */
function mix(value: number): number {
  let hash = Math.imul(value ^ 0x9e3779b9, 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
