import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { createDice, type Dice } from './draw/dice.ts';
import { drawBoat } from './draw/boat.ts';
import { drawGoods } from './draw/goods.ts';

/** One thing to be listed: what an ad says, and how it is drawn. */
export type Stock = {
  title: string;
  description: string;
  category: string;
  condition: 'new' | 'like_new' | 'good' | 'fair';
  price: number;
  location: { country: string; city: string; region?: string; postal_code?: string };
  attributes: Record<string, string | number>;
  /** The SVG of its nth view. */
  draw(view: number): string;
};

const METRES = 0.3048;
const KILOGRAMS = 0.45359;
const KILOMETRES = 1.609_34;
const seedFile = (name: string) => readFileSync(new URL(`../../db/seed/${name}`, import.meta.url), 'utf8').trimEnd();
const metres = (feet: number) => Math.round(feet * METRES * 100) / 100;

export function readDemoStock(profile: 'nautical' | 'general'): Stock[] {
  return profile === 'nautical' ? readBoats() : readClassifieds();
}

const boatRow = z.object({
  category: z.string(),
  make: z.string(),
  model: z.string(),
  year: z.coerce.number(),
  condition: z.enum(['new', 'used']),
  length_ft: z.coerce.number(),
  beam_ft: z.coerce.number(),
  dry_weight_lb: z.coerce.number(),
  hull: z.string(),
  fuel: z.string(),
  engines: z.coerce.number(),
  power_hp: z.coerce.number(),
  price_usd: z.coerce.number(),
  city: z.string(),
  state: z.string(),
  zip: z.string(),
});
type BoatRow = z.infer<typeof boatRow>;

function readBoats(): Stock[] {
  const [head = '', ...lines] = seedFile('demo-boats.tsv').split('\n');
  const names = head.split('\t');
  return lines.map((line, n) => {
    const cells = line.split('\t');
    return toBoat(boatRow.parse(Object.fromEntries(names.map((name, column) => [name, cells[column]]))), n);
  });
}

function toBoat(row: BoatRow, n: number): Stock {
  const dice = createDice(n);
  const { category, make, model, year, city, state, zip } = row;
  return {
    title: `${year} ${make} ${model}`.slice(0, 120),
    description: describeBoat(row, dice),
    category,
    condition: row.condition === 'new' ? 'new' : year > 2014 ? 'like_new' : dice.pick(['good', 'good', 'fair']),
    price: row.price_usd,
    location: { country: 'US', city, region: state, postal_code: zip },
    attributes: {
      brand: make,
      model,
      year,
      length: metres(row.length_ft),
      ...(row.beam_ft > 0 && { beam: metres(row.beam_ft) }),
      ...(row.dry_weight_lb > 0 && { displacement: Math.round(row.dry_weight_lb * KILOGRAMS) }),
      ...(isTold(row.hull) && { material: row.hull }),
      ...(isTold(row.fuel) && { fuel_type: row.fuel }),
      ...(row.power_hp > 0 && { engine_power: row.power_hp, engine_count: row.engines }),
    },
    draw: (view) => drawBoat(createDice(`${make} ${model} ${view}`), category, createDice(make), metres(row.length_ft)),
  };
}

const isTold = (text: string) => text !== '' && text !== 'other';

/** Sentences of facts alone, in one of several orders. */
function describeBoat(row: BoatRow, dice: Dice): string {
  const { year, make, model, length_ft: length, beam_ft: beam, city, state } = row;
  const opening = dice.pick([
    `This ${make} ${model} was built in ${year} and lies in ${city}, ${state}.`,
    `${make} ${model} of ${year}, to be seen in ${city}, ${state}.`,
    `For sale in ${city}, ${state}: a ${make} ${model}, model year ${year}.`,
  ]);
  const size = `She is ${length} feet long (${metres(length)} m)${beam > 0 ? ` and ${beam} feet wide` : ''}.`;
  const hull = isTold(row.hull) ? `The hull is ${row.hull}.` : '';
  const power =
    row.power_hp > 0
      ? `${row.engines > 1 ? `${row.engines} engines give` : 'The engine gives'} ${row.power_hp} hp${isTold(row.fuel) ? ` on ${row.fuel}` : ''}.`
      : isTold(row.fuel)
        ? `The engine runs on ${row.fuel}.`
        : '';
  const weight = row.dry_weight_lb > 0 ? `Dry weight ${row.dry_weight_lb} lb.` : '';
  const note = 'Facts from a boat market of 2019 (CC BY 4.0), shown as a demonstration: nothing here is for sale.';
  return `${opening} ${[size, hull, power, weight].filter(Boolean).join(' ')}\n\n${note}`;
}

const classifiedRow = z.object({
  category: z.string(),
  title: z.string(),
  description: z.string(),
  price_usd: z.number(),
  color: z.string().optional(),
  odometer_miles: z.coerce.number().optional().catch(undefined),
  fuel: z.string().optional(),
  transmission: z.string().optional(),
  condition: z.string().optional(),
});

const towns = [
  ['US', 'Portland', 'OR'],
  ['US', 'Austin', 'TX'],
  ['US', 'Boston', 'MA'],
  ['US', 'Denver', 'CO'],
  ['US', 'Chicago', 'IL'],
  ['US', 'Seattle', 'WA'],
  ['US', 'Atlanta', 'GA'],
  ['US', 'Minneapolis', 'MN'],
  ['US', 'San Diego', 'CA'],
  ['US', 'Pittsburgh', 'PA'],
] as const;
const conditions: Record<string, Stock['condition']> = { new: 'new', 'like new': 'like_new', fair: 'fair' };
const fuels: Record<string, string> = { gas: 'petrol', diesel: 'diesel', hybrid: 'hybrid', electric: 'electric' };

function readClassifieds(): Stock[] {
  return seedFile('demo-classifieds.jsonl')
    .split('\n')
    .map((line, n) => {
      const row = classifiedRow.parse(JSON.parse(line));
      const [country, city, region] = createDice(n).pick(towns);
      const { category, title, description, color } = row;
      const isCar = category === 'cars';
      const year = /\b(?:19|20)\d\d\b/.exec(title)?.[0];
      return {
        title,
        description: description.length < 20 ? `${title}. ${description}` : description,
        category,
        condition: conditions[row.condition ?? ''] ?? (/\bnew\b/i.test(title) ? 'like_new' : 'good'),
        price: row.price_usd,
        location: { country, city, region },
        attributes: {
          ...(color && category !== 'bicycles' && hasColour.has(category) && { color }),
          ...(isCar && year && { year: Number(year) }),
          ...(isCar && row.odometer_miles && { mileage: Math.round(row.odometer_miles * KILOMETRES) }),
          ...(isCar && fuels[row.fuel ?? ''] && { fuel_type: fuels[row.fuel ?? '']! }),
          ...(isCar && /^(?:manual|automatic)$/.test(row.transmission ?? '') && { transmission: row.transmission! }),
        },
        draw: (view) => drawGoods(createDice(`${title} ${view}`), category, color),
      };
    });
}

/** Categories whose template has a colour. */
const hasColour = new Set([
  'cars',
  'phones',
  'audio',
  'furniture',
  'sofas-armchairs',
  'tables-chairs',
  'beds-mattresses',
]);
