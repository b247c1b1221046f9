import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { findBoatMaker } from '../../shared/normalize/boat-makers.ts';
import { normalizeBrand } from '../../shared/normalize/brand.ts';
import { normalizeRecord } from '../../shared/normalize/record.ts';
import { dataFile } from '../support/data.ts';
import { readBoats } from './dataset-rows.ts';
import { printFigures } from './extract-data.ts';
import { readSets } from './normalise-rows.ts';

type Titled = { title: string; brand?: string; model?: string };
const SHOWN = 12;
const now = new Date('2026-11-01T00:00:00Z');

/**
 * Makers and models by gazetteer in the titles of boats: of the market that the list was made from, and of sets that were left out
 * of it, with the share found and the share of these that is right; and the tax status that asking prices of another market print.
 */
export async function benchBoatTitles(): Promise<void> {
  measure(
    'boattrader 2019, in the list',
    rowsOf('boats-boattrader-2019/boattrader_newest.csv.gz').map((row) => titled(row['make'], row['model'])),
  );
  measure(
    'boat24 2022, raw rows, unseen',
    rowsOf('boats-boat24-2022-specs/sailboats_raw_sample.csv').map((row) => titled(row['manufacturer'], row['model'])),
  );
  const makers = rowsOf('boats-boat24-2020/boat_data.dev.csv.gz').flatMap(
    (row) => normalizeBrand(row['Manufacturer']) ?? [],
  );
  measure(
    'boat24 2020, makers alone, unseen',
    makers.map((brand) => ({ title: brand, brand })),
  );
  const sets = readSets();
  measure(
    'yachtworld 2016, unseen',
    (sets.get('yachtworld 2016') ?? []).map(({ raw }) => ({ title: raw.title ?? '' })),
  );
  measure(
    'sailboatlistings, unseen',
    (sets.get('sailboatlistings') ?? []).map(({ raw }) => ({ title: raw.title ?? '' })),
  );
  measureTax((sets.get('yachtworld 2016') ?? []).map(({ raw }) => raw));
}

function measure(name: string, rows: Titled[]): void {
  const known = rows.filter(({ title, brand }) => title !== '' && brand !== 'NA');
  const found = known.map((row) => ({ ...row, found: findBoatMaker(row.title) }));
  const named = found.filter(({ found: each }) => each !== undefined);
  const judged = named.filter(({ brand }) => brand !== undefined);
  const right = judged.filter((row) => isSame(row.found?.brand, row.brand));
  const modelled = right.filter(({ model }) => model !== undefined && model !== '');
  const share = (part: unknown[], whole: unknown[]) => (whole.length === 0 ? undefined : part.length / whole.length);
  printFigures(`${name}: ${known.length} titles`, [
    { name: 'a maker is found', value: share(named, known) },
    { name: 'the right one, of these', value: share(right, judged) },
    {
      name: 'with the right model, of these',
      value: share(
        modelled.filter((row) => isSame(row.found?.model, row.model)),
        modelled,
      ),
    },
  ]);
  const missing = new Map<string, number>();
  for (const row of found)
    if (row.found === undefined) missing.set(row.brand ?? row.title, (missing.get(row.brand ?? row.title) ?? 0) + 1);
  const often = [...missing].toSorted(([, a], [, b]) => b - a).slice(0, SHOWN);
  console.log(`      not found: ${often.map(([text, count]) => `${text} (${count})`).join('; ')}`);
}

function measureTax(rows: Parameters<typeof normalizeRecord>[0][]): void {
  const stated = rows.filter(({ price }) => /Tax (?:Not )?Paid/.test(price ?? ''));
  const right = stated.filter((raw) => {
    const result = normalizeRecord(raw, { site: 'portal.example', now });
    const price = 'record' in result ? result.record.price : undefined;
    return price?.vat_included === !/Not Paid/.test(raw.price ?? '');
  });
  printFigures(`tax status, yachtworld 2016: ${stated.length} prices state it`, [
    { name: 'right', value: right.length / stated.length },
  ]);
}

/** Makers are written with and without what their companies are called. */
function isSame(found = '', printed = ''): boolean {
  const plain = (text: string) =>
    text
      .normalize('NFD')
      .toLowerCase()
      .replaceAll(/\b(?:boats?|yachts?|yachting|marine|werft)\b|[^a-z0-9]/g, '');
  return plain(found) === plain(printed);
}

function titled(brand = '', model = ''): Titled {
  return { title: `${brand} ${model}`.trim(), brand, model };
}

function rowsOf(name: string): Record<string, string | undefined>[] {
  const path = dataFile(name);
  if (path === undefined) return [];
  const bytes = readFileSync(path);
  return readBoats((name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8'));
}
