import type { Pool } from 'pg';
import { readStoredRates, type StoredRates } from './stored-rates.ts';

/** A table that another process has set is in force here within this time, even if its event was lost. */
const MAX_AGE_MS = 2_000;

export type CurrentRates = {
  /** The table in force. */
  read(): Promise<StoredRates>;
  /** Reads it anew when it is asked for next: it has changed. */
  forget(): void;
};

/** Cache of the exchange rates in force, at most two seconds old; callers at one time share one reading. */
export function createCurrentRates(
  readFrom: (work: (database: { pool: Pool }) => Promise<StoredRates>) => Promise<StoredRates>,
): CurrentRates {
  let cached: { rates: Promise<StoredRates>; readAt: number } | undefined;
  return {
    read() {
      if (cached && performance.now() - cached.readAt <= MAX_AGE_MS) return cached.rates;
      const entry = { rates: readFrom(({ pool }) => readStoredRates(pool)), readAt: performance.now() };
      cached = entry;
      entry.rates.catch(() => {
        if (cached === entry) cached = undefined;
      });
      return entry.rates;
    },
    forget() {
      cached = undefined;
    },
  };
}
