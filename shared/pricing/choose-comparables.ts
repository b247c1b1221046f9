import type { Pool } from 'pg';
import { countComparables, samplingKeyOf, type ComparableQuery } from './market-sql.ts';

/**
 * The comparables to measure: those of one currency, up to the level of the query; `n` is their number, estimated in a
 * sample.
 */
export type ChosenComparables = { query: ComparableQuery; currency: string; n: number };

/** With fewer comparables the filters are relaxed. */
export const ENOUGH = 3;
/** Above so many a random sample of about this size is read: its percentiles are within about half a percent. */
const SAMPLE = 40_000;
/** The sample grows until about so many of it pass the filters … */
const SOUND = 3_000;
/** … up to this size, which a scan reads in a twentieth of a second. */
const MAX_SAMPLE = 150_000;
/** How many rows have their attributes read, each from its wide row: fewer where the table is too large for the cache. */
const ATTRIBUTE_ROWS = { few: 4_000, many: 1_500 };
/** The probe: the share of rows it reads, and the number of comparables in it that counts as plenty. */
const PROBE = 1 / 64;
const PLENTY = 16;

type Count = { currency: string; level: number; n: number; ids: string[] };

/**
 * Adaptive sampling: finds the narrowest level at which some currency has ENOUGH comparables, and its most frequent
 * currency; else the level and currency with the most. Undefined when there are none.
 */
export async function chooseComparables(pool: Pool, query: ComparableQuery): Promise<ChosenComparables | undefined> {
  if (query.attributes !== undefined) return chooseByAttributes(pool, query);
  const probed = await count(pool, { ...query, maxSamplingKey: samplingKeyOf(PROBE) });
  const total = sum(probed) / PROBE;
  if (total <= SAMPLE) return chooseAmong(query, await count(pool, query));

  const largest = samplingKeyOf(MAX_SAMPLE / total);
  const plenty = chooseAmong(query, probed, PLENTY);
  if (!plenty || plenty.n < PLENTY) return chooseRare(pool, { ...query, maxSamplingKey: largest });
  const level = plenty.query.maxLevel;
  if (level > query.floor) {
    const rare = await chooseRare(pool, { ...query, maxLevel: level - 1, maxSamplingKey: largest });
    if (rare && rare.n >= ENOUGH) return rare;
  }
  return sample(pool, { ...query, maxLevel: level }, plenty, probed);
}

/** Chooses from a sample sized by what the probe has found; of its currency alone when no other comes near. */
async function sample(
  pool: Pool,
  query: ComparableQuery,
  plenty: ChosenComparables,
  probed: readonly Count[],
): Promise<ChosenComparables | undefined> {
  const { currency, n } = plenty;
  const isSure = isAhead(currency, [...totalsAt(query.maxLevel, probed)]);
  const currencies = isSure ? [currency] : query.currencies;
  const total = sum(probed.filter((each) => currencies.includes(each.currency))) / PROBE;
  const share = SAMPLE / total;
  const needed = (SOUND * PROBE) / n;
  if (needed > share)
    return chooseRare(pool, {
      ...query,
      currencies,
      maxSamplingKey: samplingKeyOf(Math.min(needed, MAX_SAMPLE / total)),
    });
  const sampled = { ...query, currencies, maxSamplingKey: samplingKeyOf(share) };
  if (isSure) return { query: sampled, currency, n: Math.round((n / PROBE) * Math.min(1, share)) };
  return chooseAmong(sampled, await count(pool, sampled));
}

/** Whether a currency leads in the probe by enough standard deviations to lead overall. */
const isAhead = (currency: string, totals: readonly [string, number][]) => {
  const own = totals.find(([each]) => each === currency)?.[1] ?? 0;
  return totals.every(([each, n]) => each === currency || own - n > DEVIATIONS * Math.sqrt(own + n));
};
const DEVIATIONS = 4;

/** The same where few rows pass: keeps their ids, so that nothing is scanned again. */
async function chooseRare(pool: Pool, query: ComparableQuery): Promise<ChosenComparables | undefined> {
  return chooseAmong(query, await count(pool, query, { withIds: true }));
}

/** The same where attributes have to be read, from as many rows as can be. */
async function chooseByAttributes(pool: Pool, query: ComparableQuery): Promise<ChosenComparables | undefined> {
  const probe = { ...query, attributes: undefined, maxSamplingKey: samplingKeyOf(PROBE) };
  const total = sum(await count(pool, { ...probe, kept: [] })) / PROBE;
  const rows = sum(await count(pool, probe)) / PROBE;
  const most = total > SAMPLE ? ATTRIBUTE_ROWS.many : ATTRIBUTE_ROWS.few;
  const share = Math.min(MAX_SAMPLE / Math.max(1, total), most / Math.max(1, rows));
  return chooseRare(pool, { ...query, maxSamplingKey: samplingKeyOf(share) });
}

function chooseAmong(query: ComparableQuery, counts: readonly Count[], enough = ENOUGH): ChosenComparables | undefined {
  let best: ChosenComparables | undefined;
  for (let level = query.floor; level <= query.maxLevel && (best?.n ?? 0) < enough; level += 1)
    for (const [currency, n] of [...totalsAt(level, counts)].toSorted(([a], [b]) => (a < b ? -1 : 1)))
      if (n > (best?.n ?? 0)) best = { query: { ...query, currencies: [currency], maxLevel: level }, currency, n };
  const ids = counts
    .filter(({ currency, level }) => currency === best?.currency && level <= best.query.maxLevel)
    .flatMap((each) => each.ids);
  return best && ids.length > 0 ? { ...best, query: { ...best.query, ids } } : best;
}

/** The number of comparables of each currency up to a level. */
function totalsAt(level: number, counts: readonly Count[]): Map<string, number> {
  const totals = new Map<string, number>();
  for (const each of counts)
    if (each.level <= level) totals.set(each.currency, (totals.get(each.currency) ?? 0) + each.n);
  return totals;
}

async function count(pool: Pool, query: ComparableQuery, options?: { withIds: boolean }): Promise<Count[]> {
  const { text, values } = countComparables(query, options);
  const { rows } = await pool.query<Count>(text, values);
  return rows;
}

const sum = (counts: readonly Count[]) => counts.reduce((total, { n }) => total + n, 0);
