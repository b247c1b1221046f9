import type { JobHandler } from '../shared/queues/runner.ts';
import { refreshRates } from '../shared/rates/refresh-rates.ts';
import type { WorkerServices } from './services.ts';

/** Fetches the exchange rates of RATES_URL; a feed that fails is tried again, and the table in force stays meanwhile. */
export const refreshExchangeRates: JobHandler<WorkerServices, 'refresh-rates'> = async (
  services,
  _payload,
  { signal, log },
) => {
  try {
    const rates = await refreshRates(services, signal);
    return rates
      ? { date: rates.date, currencies: Object.keys(rates.rates).length }
      : { skipped: 'RATES_URL is not set' };
  } catch (error) {
    log.warn({ err: error }, 'the exchange rates could not be refreshed');
    throw error;
  }
};
