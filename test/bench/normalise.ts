import { normalizeRecord } from '../../shared/normalize/record.ts';
import type { IngestRecord } from '../../shared/normalize/record-type.ts';
import { printFigures } from './extract-data.ts';
import type { Figure } from './extract-data.ts';
import { readSets } from './normalise-rows.ts';
import type { BoatRow, Truth } from './normalise-rows.ts';

const TARGETS = { 'price and currency': 0.98, 'length and year': 0.98, country: 0.95 } as const;
const SHOWN = 4;
/** Lengths are printed with two decimals, years and sums exactly. */
const CENTIMETRE = 0.011;

type Fact = keyof typeof TARGETS;

/** The shares of the rows of one set that are read right, of those that state the fact, and what the others say. */
export type Shares = Record<Fact, { right: number; stated: number; wrong: Map<string, number> }>;

const now = new Date('2026-11-01T00:00:00Z');

/** Normalises every row of a set and compares price, currency, length, year and country with what the row says. */
export function measureSet(rows: BoatRow[]): Shares {
  const shares: Shares = {
    'price and currency': { right: 0, stated: 0, wrong: new Map() },
    'length and year': { right: 0, stated: 0, wrong: new Map() },
    country: { right: 0, stated: 0, wrong: new Map() },
  };
  for (const { raw, country, truth } of rows) {
    const result = normalizeRecord(raw, { site: 'portal.example', now, country });
    const record = 'record' in result ? result.record : undefined;
    const { properties = {} } = raw;
    count(shares['price and currency'], checkPrice(truth, record), raw.price);
    count(shares['length and year'], checkBoat(truth, record), Object.values(properties).slice(0, 3).join(' | '));
    count(shares.country, checkCountry(truth, record), raw.location?.text);
  }
  return shares;
}

/** Prints, per set, the share of rows read right with the reasons for the rest. */
export async function benchNormalise(): Promise<void> {
  for (const [name, rows] of readSets()) {
    const shares = measureSet(rows);
    const figures = Object.entries(shares).map(([fact, { right, stated }]): Figure => {
      const value = stated === 0 ? undefined : right / stated;
      return {
        name: fact,
        value,
        target: stated === 0 ? undefined : TARGETS[fact as Fact],
        note: `${stated} rows state it`,
      };
    });
    printFigures(`${name}: ${rows.length} rows`, figures);
    for (const [fact, { wrong }] of Object.entries(shares)) {
      const reasons = [...wrong].toSorted(([, a], [, b]) => b - a);
      for (const [reason, rowsOf] of reasons.slice(0, SHOWN)) console.log(`      ${fact}, ${rowsOf} x ${reason}`);
      if (reasons.length > SHOWN) console.log(`      ${fact}: ${reasons.length - SHOWN} more reasons`);
    }
  }
}

function count(share: Shares[Fact], verdict: string | boolean | undefined, text: string | undefined): void {
  if (verdict === undefined) return;
  share.stated += 1;
  if (verdict === true) share.right += 1;
  else {
    const reason = `${String(verdict)}, such as: ${text ?? 'nothing'}`;
    const known = [...share.wrong.keys()].find((key) => key.startsWith(`${String(verdict)},`)) ?? reason;
    share.wrong.set(known, (share.wrong.get(known) ?? 0) + 1);
  }
}

function checkPrice({ amount, currency }: Truth, record: IngestRecord | undefined): string | true | undefined {
  if (amount === undefined || currency === undefined) return undefined;
  const { price } = record ?? {};
  if (!price) return 'no price read';
  if (price.amount !== amount) return 'another amount';
  return price.currency === currency ? true : 'another currency';
}

function checkBoat({ length, year }: Truth, record: IngestRecord | undefined): string | true | undefined {
  if (length === undefined && year === undefined) return undefined;
  const boat = record?.boat as { year?: number; specs?: { dimensions?: { length_overall_m?: number } } } | undefined;
  const read = boat?.specs?.dimensions?.length_overall_m;
  if (length !== undefined && read === undefined) return 'no length read';
  if (length !== undefined && Math.abs((read ?? 0) - length) > CENTIMETRE) return 'another length';
  const readYear = boat?.year ?? record?.attributes?.year;
  if (year !== undefined && readYear === undefined) return 'no year read';
  return year === undefined || readYear === year ? true : 'another year';
}

function checkCountry({ country }: Truth, record: IngestRecord | undefined): string | true | undefined {
  if (country === undefined) return undefined;
  if (record?.location?.country === undefined) return 'no country read';
  return record.location.country === country ? true : `another country than ${country}`;
}
