import { inTransaction } from '../../db/client.ts';
import { replaceRates } from '../../shared/rates/stored-rates.ts';
import type { TestApp } from './app.ts';

/** Puts a table of exchange rates in force, units of a currency for one euro; others have no rate then. */
export async function setRates(
  { database, services }: Pick<TestApp, 'database' | 'services'>,
  rates: Record<string, number>,
  date = '2026-11-20',
): Promise<void> {
  await inTransaction(database.db, (tx) =>
    replaceRates(tx, { date, rates }, { source: 'feed', setBy: null }, services.clock.now()),
  );
  services.rates.forget();
  services.cache.clear();
}
