import { createHash } from 'node:crypto';
import sharp from 'sharp';
import { fromTrader, type BoatRecord } from '../bench/boat-rows.ts';
import { readStockRows } from '../bench/dedup-data.ts';
import type { TestApp, TestUser } from './app.ts';
import type { TestWorkers } from './workers.ts';

export type StockRow = Record<string, string>;

/** Every row of boats-boattrader-2019; undefined, and said on stderr, where the data is absent. */
export const readDealerRows = (): StockRow[] | undefined => readStockRows();

const models = [
  ['Sea Ray', '240 Sundancer', 'power-cruiser', 24],
  ['Ranger', 'Z520C', 'power-bass', 20],
  ['Axis', 'T22', 'power-skiwake', 22],
  ['Bennington', '22 SSRCX', 'power-pontoon', 23],
] as const;
const towns = [
  ['34396', 'Austin', 'TX', '78734'],
  ['106230', 'Homestead', 'FL', '33033'],
  ['46516', 'Wayzata', 'MN', '55391'],
  ['27369', 'Red Wing', 'MN', '55066'],
  ['52808', '', 'MI', ''],
  ['267943', 'Tampa', 'FL', '33602'],
] as const;

/**
 * Rows of the same kind, made up: each model as new stock of every dealer, twice by two of them; used at every dealer, in two
 * cases at one price and twice by one dealer.
 */
export function makeDealerRows(): StockRow[] {
  const rows: StockRow[] = [];
  const add = (model: number, town: number, condition: string, year: number, price: number) => {
    const [make, name, boatClass, length] = models[model % models.length]!;
    const [sellerId, city, state, zip] = towns[town % towns.length]!;
    const id = String(7_000_000 + rows.length);
    rows.push({
      id,
      url: `https://www.boattrader.com/listing/${year}-${make.replaceAll(' ', '-')}-${id}/`.toLowerCase(),
      type: 'power',
      boatClass,
      make,
      model: name,
      year: String(year),
      condition,
      length_ft: String(length),
      fuelType: 'gasoline',
      numEngines: '1',
      totalHP: '250',
      price: String(price),
      sellerId,
      city,
      country: 'US',
      state,
      zip,
    });
  };
  for (const model of models.keys()) {
    for (const town of towns.keys()) add(model, town, 'new', 2019, 71_327);
    for (const town of [0, 1, 1]) add(model, town, 'new', 2019, 71_327);
    for (const town of towns.keys()) add(model, town, 'used', 2016, 39_900 + 700 * town);
    for (const town of [2, 3, 4, 4, 5, 5]) add(model, town, 'used', 2018, 49_999);
  }
  return rows;
}

const praise = [
  'was drawn for long days on the water, with deep seats, a wide sunpad and room for the whole family',
  'carries its hull far forward, so that it planes early, turns flat and stays dry in a chop',
  'has stepped storage under every seat, a self-bailing cockpit and a swim platform that folds away',
  'pairs a hand-laid fiberglass hull with a stringer grid that is bonded in one piece',
  'brings the helm of its larger sisters: one screen, tilt steering and switches that are lit',
  'is the boat that the yard is known for: quick, quiet, and easy to handle at the dock',
];

const modelOf = ({ make, model }: StockRow) => `${make} ${model}`.trim();
const pick = (text: string, at: number) =>
  createHash('sha256')
    .update(text)
    .digest()
    .readUInt32BE(at * 4);

/** What the maker writes of a model, in all of its dealers' listings. */
export function makersText(row: StockRow): string {
  const name = modelOf(row);
  const said = [0, 1, 2].map(
    (at) => `The ${name} ${praise[(pick(name, 0) + at * 2 + (pick(name, at) % 2)) % praise.length]}.`,
  );
  return `${said.join(' ')} Powered by up to ${row.totalHP || 150} horsepower, it seats ${6 + (pick(name, 5) % 8)} people. Ask for a sea trial.`;
}

/** The maker's photo of a model: the same file in every listing. */
export async function stockPhoto(row: StockRow): Promise<Buffer> {
  return photoOf(modelOf(row));
}

/** A JPEG that looks like no other name's. */
export async function photoOf(name: string, quality = 90): Promise<Buffer> {
  const pixels = Buffer.concat([0, 1, 2, 3, 4, 5].map((at) => createHash('sha256').update(`${name} ${at}`).digest()));
  return sharp(pixels, { raw: { width: 8, height: 8, channels: 3 } })
    .resize(320, 240, { kernel: 'cubic' })
    .jpeg({ quality })
    .toBuffer();
}

export const photoPath = (row: StockRow) => `/${createHash('md5').update(modelOf(row)).digest('hex')}.jpg`;

/** The record that a dealer's own site makes of a row, or the portal's when `site` names one. */
export function recordOf(row: StockRow, fields: Record<string, unknown> = {}): BoatRecord {
  const site = `dealer${row['sellerId']}.example.com`;
  return { ...fromTrader(row), url: `https://${site}/boats/${row['id']}`, site, ...fields };
}

/** Has an administrator ingest records through the service, and answers their listings. */
export async function ingestAll(app: TestApp, admin: TestUser, records: readonly BoatRecord[]): Promise<string[]> {
  const ids: string[] = [];
  for (let at = 0; at < records.length; at += 500) {
    const { status, body, text } = await app.as(admin).post('/api/ingest', { records: records.slice(at, at + 500) });
    if (status !== 200) throw new Error(text);
    ids.push(...Object.values(body.ids as Record<string, string>));
  }
  return ids;
}

/** Runs the background job that merges to its end; answers its entry in the history. */
export async function runMergingJob(app: TestApp, workers: TestWorkers, admin: TestUser, threshold?: number) {
  const body = { auto_merge: true, ...(threshold !== undefined && { threshold }) };
  const started = await app.as(admin).post('/api/admin/dedup/job/start', body);
  if (started.status !== 202) throw new Error(started.text);
  await workers.work('dedup-scan');
  return (await app.as(admin).get('/api/admin/dedup/job/history?limit=1')).body.results[0];
}

/** How many listings are deleted, and how many stand in a group that waits for a decision. */
export async function countHarm({ database }: Pick<TestApp, 'database'>): Promise<{ gone: number; suggested: number }> {
  const { rows } = await database.pool.query<{ gone: number; suggested: number }>(`
    select (select count(*)::int from listings where status = 'deleted') as gone,
      (select count(distinct listing_id)::int from dedup_members where open) as suggested`);
  return rows[0] ?? { gone: 0, suggested: 0 };
}
