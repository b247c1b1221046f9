import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import type { Pool } from 'pg';
import { inTransaction, type Database } from '../../db/client.ts';
import { createGuardedFetch } from '../adapters/fetch.ts';
import type { ExchangeRates } from './exchange-rates.ts';
import { readStoredRates, replaceRates } from './stored-rates.ts';
import { DAY_MS, type Clock } from '../kit/clock.ts';
import type { Deadlines } from '../kit/deadlines.ts';
import { MAX_ERROR_LENGTH } from '../kit/errors.ts';

const MAX_FEED_BYTES = 1_048_576;

type Refreshing = {
  pool: Pool;
  db: Database;
  clock: Clock;
  config: { ratesUrl: string | undefined; baseUrl: string; fetchAllow: string[]; deadlines: Deadlines };
};

/** True when the table in force is of a day that began more than a day ago. */
export async function areRatesOld(pool: Pool, now: Date): Promise<boolean> {
  const { date } = await readStoredRates(pool);
  return now.getTime() - Date.parse(date) > DAY_MS;
}

/**
 * Fetches the feed of `RATES_URL` and puts its table in force, unless it is there already. A feed that cannot be had or read
 * leaves the table as it is, is remembered as failing, and the error is thrown.
 */
export async function refreshRates(services: Refreshing, signal: AbortSignal): Promise<ExchangeRates | undefined> {
  const { pool, db, clock, config } = services;
  if (config.ratesUrl === undefined) return undefined;
  const rates = await fetchRates(config.ratesUrl, config, signal).catch(async (error: unknown) => {
    if (!signal.aborted) await rememberFailure(db, error, clock.now());
    throw error;
  });
  const stored = await readStoredRates(pool);
  const isKnown = stored.date === rates.date && isDeepStrictEqual({ ...stored.rates }, { ...rates.rates });
  await inTransaction(db, async (tx) => {
    const now = clock.now();
    if (!isKnown) await replaceRates(tx, rates, { source: 'feed', setBy: null }, now);
    await sql`insert into exchange_rate_feed (succeeded_at) values (${now})
              on conflict (only_row) do update set succeeded_at = ${now}, failing_since = null, error = null`.execute(
      tx,
    );
  });
  return rates;
}

/** The operator has chosen the address, so that its host may be a private one; where it redirects to is guarded as ever. */
async function fetchRates(url: string, config: Refreshing['config'], signal: AbortSignal): Promise<ExchangeRates> {
  const { host } = new URL(url);
  const guarded = createGuardedFetch({
    allow: [...config.fetchAllow, host],
    userAgent: `QuaysideBot/1.0 (+${config.baseUrl})`,
    deadlines: config.deadlines,
  });
  try {
    const { status, body } = await guarded.fetch(url, {
      signal,
      maxBytes: MAX_FEED_BYTES,
      deadline: 'rates',
      accept: 'application/xml, text/xml',
    });
    if (status !== 200) throw new Error(`The feed answered ${status}.`);
    // Its parser is loaded where there is a feed.
    const { parseEcbRates } = await import('./parse-ecb-rates.ts');
    return parseEcbRates(body.toString('utf8'));
  } finally {
    await guarded.close();
  }
}

async function rememberFailure(db: Database, error: unknown, now: Date): Promise<void> {
  const text = (error instanceof Error ? error.message : String(error)).slice(0, MAX_ERROR_LENGTH);
  await inTransaction(db, (tx) =>
    sql`insert into exchange_rate_feed (failing_since, error) values (${now}, ${text})
        on conflict (only_row) do update
        set failing_since = coalesce(exchange_rate_feed.failing_since, ${now}), error = ${text}`.execute(tx),
  );
}
