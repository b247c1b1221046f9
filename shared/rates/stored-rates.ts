import { CompiledQuery, sql } from 'kysely';
import type { Pool } from 'pg';
import { prepared } from '../../db/prepared.ts';
import { recordEvents } from '../journal/events.ts';
import type { Tx } from '../queues/jobs.ts';
import { snapshotRates, type ExchangeRates } from './exchange-rates.ts';

/** The table in force, and where it comes from. */
export type StoredRates = ExchangeRates & {
  source: 'snapshot' | 'feed' | 'admin';
  set_by: string | null;
  set_at: Date | null;
};

const text = `select to_char(rate_date, 'YYYY-MM-DD') as date, rates, source, set_by, created_at as set_at
  from exchange_rates order by id desc limit 1`;
const shipped: StoredRates = { ...snapshotRates, source: 'snapshot', set_by: null, set_at: null };

/** The table in force: the one set last, else the snapshot. */
export async function readStoredRates(pool: Pool): Promise<StoredRates> {
  const { rows } = await pool.query<StoredRates>({ name: 'exchange-rates', text });
  return rows[0] ?? shipped;
}

/** The same within a transaction. */
export async function readRatesWithin(tx: Tx): Promise<ExchangeRates> {
  const { rows } = await tx.executeQuery(prepared(CompiledQuery.raw(text) as CompiledQuery<StoredRates>));
  return rows[0] ?? shipped;
}

/** Replaces the table in force; earlier ones stay to be looked up. Caches of every process learn of it by the journal. */
export async function replaceRates(
  tx: Tx,
  { date, rates }: ExchangeRates,
  setter: { source: 'feed' | 'admin'; setBy: string | null },
  now: Date,
): Promise<void> {
  // One after the other, so that the last id is the last to commit.
  await sql`lock table exchange_rates in share row exclusive mode`.execute(tx);
  await sql`insert into exchange_rates (rate_date, rates, source, set_by, created_at)
            values (${date}, ${JSON.stringify(rates)}, ${setter.source}, ${setter.setBy}, ${now})`.execute(tx);
  await recordEvents(tx, now, [{ type: 'rates.changed', subject: date, ownerId: null, data: {} }]);
}

/** How the feed fared last: when it was had, and since when and why it cannot be. */
export type FeedState = { succeeded_at: Date | null; failing_since: Date | null; error: string | null };

export async function readFeedState(pool: Pool): Promise<FeedState> {
  const { rows } = await pool.query<FeedState>({
    name: 'exchange-rate-feed',
    text: 'select succeeded_at, failing_since, error from exchange_rate_feed',
  });
  return rows[0] ?? { succeeded_at: null, failing_since: null, error: null };
}
