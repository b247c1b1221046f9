import { sql } from 'kysely';
import type { Pool } from 'pg';
import type { Tx } from '../queues/jobs.ts';
import { scamSignals, type ScamEvidence, type ScamSignal } from './evidence.ts';

/** Counts one held listing, by each signal that counted. */
export async function countHold(tx: Tx, evidence: readonly ScamEvidence[]): Promise<void> {
  const signals = evidence.map(({ signal }) => signal).toSorted();
  await sql`
    insert into scam_hold_counts as known (signal, holds) select signal, 1 from unnest(${signals}::text[]) as s (signal)
    on conflict (signal) do update set holds = known.holds + 1`.execute(tx);
}

/** How many listings were held so far, by signal. */
export async function readScamHolds(pool: Pool): Promise<{ signal: ScamSignal; holds: number }[]> {
  const { rows } = await pool.query<{ signal: string; holds: number }>(
    'select signal, holds::float8 as holds from scam_hold_counts',
  );
  const known = new Map(rows.map(({ signal, holds }) => [signal, holds]));
  return scamSignals.map((signal) => ({ signal, holds: known.get(signal) ?? 0 }));
}
