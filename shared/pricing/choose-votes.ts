import type { Pool } from 'pg';
import { countVotes, drawOf, type Look } from './market-sql.ts';

/** Which votes to measure: those of one currency, up to the level of the look; and how many they are, in a sample about. */
export type Chosen = { look: Look; currency: string; n: number };

/** A selection of fewer listings is widened. */
export const ENOUGH = 3;
/** Of more listings a sample of about so many is read: its percentiles are within about half a percent of theirs. */
const SAMPLE = 40_000;
/** The sample is as much larger as it takes to have so many that pass the filters … */
const SOUND = 3_000;
/** … but no larger than this, which a scan reads in a twentieth of a second. */
const MAX_SAMPLE = 150_000;
/** The attributes of so many listings are looked at, each in its wide row, which is rarely at hand where there are many. */
const ATTRIBUTE_ROWS = { few: 4_000, many: 1_500 };
/** What is estimated by: the share of rows read, and how many votes in it stand for plenty. */
const PROBE = 1 / 64;
const PLENTY = 16;

type Count = { currency: string; level: number; n: number; ids: string[] };

/**
 * The narrowest level of a look at which some currency has enough votes, and the currency that has most there; where none
 * has enough, the one that has most at the narrowest level at which it has them. Undefined when there are no votes.
 */
export async function chooseVotes(pool: Pool, look: Look): Promise<Chosen | undefined> {
  if (look.attributes !== undefined) return chooseByAttributes(pool, look);
  const probed = await count(pool, { ...look, maxDraw: drawOf(PROBE) });
  const total = sum(probed) / PROBE;
  if (total <= SAMPLE) return chooseAmong(look, await count(pool, look));

  const largest = drawOf(MAX_SAMPLE / total);
  const plenty = chooseAmong(look, probed, PLENTY);
  if (!plenty || plenty.n < PLENTY) return chooseRare(pool, { ...look, maxDraw: largest });
  const level = plenty.look.maxLevel;
  if (level > look.floor) {
    const rare = await chooseRare(pool, { ...look, maxLevel: level - 1, maxDraw: largest });
    if (rare && rare.n >= ENOUGH) return rare;
  }
  return sample(pool, { ...look, maxLevel: level }, plenty, probed);
}

/** Chooses among a sample of what a probe has found plenty of; in its currency alone, when no other comes near. */
async function sample(pool: Pool, look: Look, plenty: Chosen, probed: readonly Count[]): Promise<Chosen | undefined> {
  const { currency, n } = plenty;
  const isSure = isAhead(currency, [...totalsAt(look.maxLevel, probed)]);
  const currencies = isSure ? [currency] : look.currencies;
  const total = sum(probed.filter((each) => currencies.includes(each.currency))) / PROBE;
  const share = SAMPLE / total;
  const needed = (SOUND * PROBE) / n;
  if (needed > share)
    return chooseRare(pool, { ...look, currencies, maxDraw: drawOf(Math.min(needed, MAX_SAMPLE / total)) });
  const sampled = { ...look, currencies, maxDraw: drawOf(share) };
  if (isSure) return { look: sampled, currency, n: Math.round((n / PROBE) * Math.min(1, share)) };
  return chooseAmong(sampled, await count(pool, sampled));
}

/** Whether a currency has so many more of the votes in a probe than any other that it has more in all. */
const isAhead = (currency: string, totals: readonly [string, number][]) => {
  const own = totals.find(([each]) => each === currency)?.[1] ?? 0;
  return totals.every(([each, n]) => each === currency || own - n > DEVIATIONS * Math.sqrt(own + n));
};
const DEVIATIONS = 4;

/** The same where few rows pass: their ids are kept, so that nothing is scanned again. */
async function chooseRare(pool: Pool, look: Look): Promise<Chosen | undefined> {
  return chooseAmong(look, await count(pool, look, { withIds: true }));
}

/** The same among as many of the rows that pass the other filters as can be looked at. */
async function chooseByAttributes(pool: Pool, look: Look): Promise<Chosen | undefined> {
  const probe = { ...look, attributes: undefined, maxDraw: drawOf(PROBE) };
  const total = sum(await count(pool, { ...probe, kept: [] })) / PROBE;
  const rows = sum(await count(pool, probe)) / PROBE;
  const most = total > SAMPLE ? ATTRIBUTE_ROWS.many : ATTRIBUTE_ROWS.few;
  const share = Math.min(MAX_SAMPLE / Math.max(1, total), most / Math.max(1, rows));
  return chooseRare(pool, { ...look, maxDraw: drawOf(share) });
}

function chooseAmong(look: Look, counts: readonly Count[], enough = ENOUGH): Chosen | undefined {
  let best: Chosen | undefined;
  for (let level = look.floor; level <= look.maxLevel && (best?.n ?? 0) < enough; level += 1)
    for (const [currency, n] of [...totalsAt(level, counts)].toSorted(([a], [b]) => (a < b ? -1 : 1)))
      if (n > (best?.n ?? 0)) best = { look: { ...look, currencies: [currency], maxLevel: level }, currency, n };
  const ids = counts
    .filter(({ currency, level }) => currency === best?.currency && level <= best.look.maxLevel)
    .flatMap((each) => each.ids);
  return best && ids.length > 0 ? { ...best, look: { ...best.look, ids } } : best;
}

/** How many votes each currency has up to a level. */
function totalsAt(level: number, counts: readonly Count[]): Map<string, number> {
  const totals = new Map<string, number>();
  for (const each of counts)
    if (each.level <= level) totals.set(each.currency, (totals.get(each.currency) ?? 0) + each.n);
  return totals;
}

async function count(pool: Pool, look: Look, options?: { withIds: boolean }): Promise<Count[]> {
  const { text, values } = countVotes(look, options);
  const { rows } = await pool.query<Count>(text, values);
  return rows;
}

const sum = (counts: readonly Count[]) => counts.reduce((total, { n }) => total + n, 0);
