import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { ingestRecord } from '../../../shared/normalize/record-type.ts';
import type { IngestRecord, RawRecord } from '../../../shared/normalize/record-type.ts';
import { normalizeLength } from '../../../shared/normalize/length.ts';
import { normalizePrice } from '../../../shared/normalize/price.ts';
import { normalizeRecord } from '../../../shared/normalize/record.ts';
import { dataFile } from '../../support/data.ts';

// Reads the shared data folder; skipped, loudly, where it is absent.
const yachtworld = dataFile('boats-yachtworld-2016-specs/yachtworld_2016.dev.jsonl.gz');
const boat24 = dataFile('boats-boat24-2022-specs/sailboats_raw_sample.csv');
const kleinanzeigen = dataFile('boats-kleinanzeigen-blocket-2026/boat_data.dev.json');

const now = new Date('2022-01-15T00:00:00Z');

function recordOf(raw: RawRecord): IngestRecord {
  const result = normalizeRecord(raw, { site: 'portal.example', now });
  if ('reason' in result) throw new Error(result.reason);
  return ingestRecord.parse(result.record);
}

function specsOf(record: IngestRecord): Record<string, Record<string, unknown>> {
  return (record.boat?.specs ?? {}) as Record<string, Record<string, unknown>>;
}

const share = (flags: boolean[]) => flags.filter(Boolean).length / flags.length;

describe.skipIf(!yachtworld)('the sailing yachts of a portal of 2016', () => {
  type Row = {
    url: string;
    name: string;
    price: string;
    price_full: string;
    located: string;
    loa: string;
    full_specs: Record<string, string>;
  };
  const rows = yachtworld
    ? gunzipSync(readFileSync(yachtworld))
        .toString('utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Row)
    : [];
  const records = rows.map((row) =>
    recordOf({
      url: row.url,
      title: row.name,
      price: row.price,
      location: { text: row.located },
      breadcrumbs: ['Boats', 'Sail', row.name],
      properties: row.full_specs,
    }),
  );

  test('every price and country is read', () => {
    expect(share(records.map(({ price }) => (price?.amount ?? 0) > 0))).toBe(1);
    expect(share(records.map(({ location }) => location?.country !== undefined))).toBeGreaterThan(0.99);
  });

  test('a printed length overall is read, and mostly agrees with the rounded feet beside it', () => {
    const printed = rows.flatMap((row, at) => (row.full_specs.LOA ? [{ row, record: records[at] }] : []));
    const lengths = printed.map(({ row, record }) => ({
      read: record && specsOf(record).dimensions?.length_overall_m,
      near: normalizeLength(row.loa),
    }));
    expect(share(lengths.map(({ read }) => typeof read === 'number'))).toBeGreaterThan(0.98);
    expect(share(lengths.map(({ read, near }) => Math.abs(Number(read) - Number(near)) < 0.6))).toBeGreaterThan(0.9);
  });

  test('engines, tanks and berths of most are in the structure', () => {
    const withHours = rows.flatMap((row, at) =>
      /^\d+$/.test(row.full_specs['Engine Hours'] ?? '') ? [records[at]] : [],
    );
    expect(
      share(withHours.map((record) => record !== undefined && specsOf(record).engine?.engine_hours !== undefined)),
    ).toBeGreaterThan(0.98);
    expect(share(records.map((record) => specsOf(record).engine?.fuel_type === 'diesel'))).toBeGreaterThan(0.9);
  });
});

describe.skipIf(!boat24)('the raw rows of a portal of 2022', () => {
  const [head = [], ...rows] = (boat24 ? readFileSync(boat24, 'utf8').trim().split(/\r?\n/) : []).map((line) =>
    [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].map(([, cell = '']) => cell.replace(/^"|"$/g, '')),
  );
  const cell = (row: string[], name: string) => {
    const value = row[head.indexOf(name)];
    return value === undefined || value === 'NA' ? undefined : value;
  };

  test('price, size, draft, weight, power and tank are read wherever they stand', () => {
    expect(rows.length).toBeGreaterThan(60);
    for (const row of rows) {
      const facts = {
        Length: 'length_width',
        Draft: 'draft',
        Displacement: 'displacement',
        'Engine Power': 'engine_perf',
        'Fuel Capacity': 'fuel_cap',
        Beds: 'no_beds',
      };
      const properties = Object.entries(facts).flatMap(([label, name]) => {
        const value = cell(row, name);
        return value === undefined ? [] : [[label, value] as const];
      });
      const record = recordOf({
        url: `https://portal.example/${cell(row, 'id')}`,
        title: `${cell(row, 'manufacturer') ?? ''} ${cell(row, 'model')}`,
        price: cell(row, 'price'),
        breadcrumbs: ['Boats', cell(row, 'type') ?? '', 'x'],
        properties: Object.fromEntries(properties),
      });
      const specs = specsOf(record);
      const digits = (name: string) => Number(cell(row, name)?.replace(/[^\d]/g, ''));
      if (cell(row, 'price'))
        expect(record.price).toMatchObject({ amount: digits('price'), currency: cell(row, 'price')?.slice(0, 3) });
      if (cell(row, 'length_width'))
        expect(specs.dimensions?.length_overall_m).toBe(Number.parseFloat(cell(row, 'length_width') ?? ''));
      if (cell(row, 'displacement')) expect(specs.dimensions?.displacement_kg).toBe(digits('displacement'));
      // One row says 168 m: no boat has such a draft, so it is left out.
      const draft =
        cell(row, 'draft') === undefined ? undefined : Number(cell(row, 'draft')?.match(/[\d.]+(?= m)/)?.[0]);
      expect(specs.dimensions?.draft_m).toBe(draft !== undefined && draft < 20 ? draft : undefined);
      if (cell(row, 'engine_perf')) expect(specs.engine?.engine_power_hp).toBeGreaterThan(0);
      if (cell(row, 'fuel_cap')) expect(specs.tanks?.fuel_capacity_l).toBe(digits('fuel_cap'));
    }
  });
});

describe.skipIf(!kleinanzeigen)('the ads of two portals of 2026', () => {
  test('every price is read, and VB makes it negotiable', () => {
    const ads = Object.values(JSON.parse(readFileSync(kleinanzeigen ?? '', 'utf8'))) as {
      price: string;
      source: string;
    }[];
    const priced = ads.filter(({ price }) => /^\d/.test(price));
    expect(priced.length).toBeGreaterThan(200);
    for (const { price, source } of priced) {
      const read = normalizePrice(price, { country: source.endsWith('.se') ? 'SE' : 'DE' });
      expect(read?.currency).toBe(source.endsWith('.se') ? 'SEK' : 'EUR');
      expect(read?.negotiable).toBe(/VB/.test(price));
      const [first = '0'] = price.split(/€|kr/);
      expect(read?.amount).toBe(Number(first.replace(/\D/g, '')));
    }
    const titles = ads.filter(({ price }) => /^\p{L}{3}.{20}/u.test(price));
    expect(titles.map(({ price }) => normalizePrice(price, { country: 'SE' })?.amount).filter(Boolean)).toEqual([]);
  });
});
