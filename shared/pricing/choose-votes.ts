import type { Pool } from 'pg';
import { countVotes, drawOf, type Look } from './market-sql.ts';

/** Which votes to measure: those of one currency, up to the level of the look; and how many they are, in a sample about. */
export type Chosen = { look: Look; currency: string; n: number };

/** A selection of fewer listings is widened. */
export const ENOUGH = 3;
/** Of more listings a sample of about so many is read: its percentiles are within about half a percent of theirs. */
const SAMPLE = 40_000;
/** The sample is as much larger as it takes to have so many that pass the filters … */
const SOUND = 5_000;
/** … but no larger than this, which a scan reads in a twentieth of a second. */
const LARGEST_SAMPLE = 300_000;
/** The attributes of so many listings are looked at, each in its wide row. */
const ATTRIBUTE_ROWS = 5_000;
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

  const largest = drawOf(LARGEST_SAMPLE / total);
  const plenty = findPlenty(probed, look);
  if (!plenty) return chooseRare(pool, { ...look, maxDraw: largest });
  if (plenty.level > look.floor) {
    const rare = await chooseRare(pool, { ...look, maxLevel: plenty.level - 1, maxDraw: largest });
    if (rare && rare.n >= ENOUGH) return rare;
  }
  const needed = (SOUND * PROBE) / plenty.n;
  if (needed > SAMPLE / total)
    return chooseRare(pool, { ...look, maxLevel: plenty.level, maxDraw: Math.min(largest, drawOf(needed)) });
  const sampled = { ...look, maxLevel: plenty.level, maxDraw: drawOf(SAMPLE / total) };
  const [currency, ...others] = look.currencies;
  if (currency !== undefined && others.length === 0 && plenty.level === look.floor)
    return { look: sampled, currency, n: Math.round(((plenty.n / PROBE) * SAMPLE) / total) };
  return chooseAmong(sampled, await count(pool, sampled));
}

/** The same where few rows pass: their ids are kept, so that nothing is scanned again. */
async function chooseRare(pool: Pool, look: Look): Promise<Chosen | undefined> {
  return chooseAmong(look, await count(pool, look, { withIds: true }));
}

/** The same among as many of the rows that pass the other filters as can be looked at. */
async function chooseByAttributes(pool: Pool, look: Look): Promise<Chosen | undefined> {
  const probe = { ...look, attributes: undefined, maxDraw: drawOf(PROBE) };
  const [all, kept] = [await count(pool, { ...probe, kept: [] }), await count(pool, probe)];
  const rows = Math.max(1, sum(kept)) / PROBE;
  const share = Math.min(LARGEST_SAMPLE / Math.max(1, sum(all) / PROBE), ATTRIBUTE_ROWS / rows);
  return chooseRare(pool, { ...look, maxDraw: drawOf(share) });
}

/** The narrowest level at which some currency has plenty of votes. */
function findPlenty(counts: readonly Count[], look: Look): { level: number; n: number } | undefined {
  const chosen = chooseAmong(look, counts, PLENTY);
  return chosen && chosen.n >= PLENTY ? { level: chosen.look.maxLevel, n: chosen.n } : undefined;
}

function chooseAmong(look: Look, counts: readonly Count[], enough = ENOUGH): Chosen | undefined {
  const totals = new Map<string, number>();
  let best: Chosen | undefined;
  for (let level = look.floor; level <= look.maxLevel && (best?.n ?? 0) < enough; level += 1) {
    for (const each of counts.filter((row) => row.level === level))
      totals.set(each.currency, (totals.get(each.currency) ?? 0) + each.n);
    for (const [currency, n] of [...totals].toSorted(([a], [b]) => (a < b ? -1 : 1)))
      if (n > (best?.n ?? 0)) best = { look: { ...look, currencies: [currency], maxLevel: level }, currency, n };
  }
  const ids = counts
    .filter(({ currency, level }) => currency === best?.currency && level <= best.look.maxLevel)
    .flatMap((each) => each.ids);
  return best && ids.length > 0 ? { ...best, look: { ...best.look, ids } } : best;
}

async function count(pool: Pool, look: Look, options?: { withIds: boolean }): Promise<Count[]> {
  const { text, values } = countVotes(look, options);
  const { rows } = await pool.query<Count>(text, values);
  return rows;
}

const sum = (counts: readonly Count[]) => counts.reduce((total, { n }) => total + n, 0);
