import type { Pool } from 'pg';
import type { Clock } from '../kit/clock.ts';
import { readImageStats } from '../images/stats.ts';
import { readInventory } from './inventory.ts';
import { readKpis } from './kpis.ts';
import { readNauticalAnalytics } from './nautical.ts';

export const KPI_DAYS = 30;

/** Figures that a large catalogue takes seconds to tell, each with the moment that it tells of. */
export const slowFigures = {
  images: async (pool: Pool, now: Date) => ({ ...at(now), ...(await readImageStats(pool)) }),
  inventory: async (pool: Pool, now: Date) => ({ ...at(now), ...(await readInventory(pool, now)) }),
  kpis: async (pool: Pool, now: Date) => ({
    ...at(now),
    days: KPI_DAYS,
    ...(await readKpis(pool, { days: KPI_DAYS, now })),
  }),
  nautical: async (pool: Pool, now: Date) => ({ ...at(now), ...(await readNauticalAnalytics(pool)) }),
};

export type SlowFigure = keyof typeof slowFigures;
export type FiguresOf<Name extends SlowFigure> = Awaited<ReturnType<(typeof slowFigures)[Name]>>;

/** What takes less is not kept: it is counted whenever somebody asks. */
const COSTLY_MS = 500;
/** Older figures are told to nobody; they are counted anew every few minutes while a worker runs. */
const KEEP_SECONDS = 600;

const at = (now: Date) => ({ generated_at: now.toISOString() });

/**
 * Counts each of them, one after the other, and keeps those that took long for all processes; answers how many milliseconds
 * each took. Stops between two when told to.
 */
export async function snapshotSlowFigures(
  { pool, clock }: { pool: Pool; clock: Clock },
  signal: AbortSignal,
  elapsedMs: () => number = () => performance.now(),
): Promise<Record<string, number>> {
  const took: Record<string, number> = {};
  for (const [name, count] of Object.entries(slowFigures)) {
    signal.throwIfAborted();
    const startedAt = elapsedMs();
    const now = clock.now();
    const figures = await count(pool, now);
    took[name] = Math.round(elapsedMs() - startedAt);
    await keepOne(pool, name, { figures, now, tookMs: took[name] });
  }
  return took;
}

/** An older count that ends late replaces no newer one. */
async function keepOne(
  pool: Pool,
  name: string,
  { figures, now, tookMs }: { figures: object; now: Date; tookMs: number },
): Promise<void> {
  if (tookMs < COSTLY_MS) {
    await pool.query('delete from kept_figures where name = $1 and counted_at <= $2', [name, now]);
    return;
  }
  await pool.query(
    `insert into kept_figures as k (name, figures, counted_at, took_ms) values ($1, $2, $3, $4)
     on conflict (name) do update set figures = excluded.figures, counted_at = excluded.counted_at, took_ms = excluded.took_ms
     where k.counted_at <= excluded.counted_at`,
    [name, JSON.stringify(figures), now, tookMs],
  );
}

/** The figures as they were kept last, ten minutes ago at most; undefined where they are counted quickly, or by nobody. */
export async function readFiguresSnapshot<Name extends SlowFigure>(
  pool: Pool,
  name: Name,
  now: Date,
): Promise<FiguresOf<Name> | undefined> {
  const { rows } = await pool.query<{ figures: FiguresOf<Name> }>({
    name: 'kept-figures',
    text: `select figures from kept_figures where name = $1 and counted_at > $2::timestamptz - make_interval(secs => $3)`,
    values: [name, now, KEEP_SECONDS],
  });
  return rows[0]?.figures;
}
