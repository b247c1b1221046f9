import { inTransaction } from '../../db/client.ts';
import { codeRules, isCurrency } from '../../shared/kit/codes.ts';
import { invalid } from '../../shared/kit/errors.ts';
import { BASE_CURRENCY } from '../../shared/rates/exchange-rates.ts';
import { readFeedState, readStoredRates, replaceRates } from '../../shared/rates/stored-rates.ts';
import type { Result } from '../http/types.ts';
import type { AuthenticatedHandler, Handler } from '../handler.ts';
import type { Services } from '../services.ts';

/** The exchange rates in force, who set them, and how the feed fares. */
export const getRates: Handler<'getRates'> = async (services) => ({ status: 200, body: await presentRates(services) });

/** Replaces the whole table; searches of this process compare by it at once, those of others when their journal tells. */
export const putRates: AuthenticatedHandler<'putRates'> = async (services, { body, caller }) => {
  const { [BASE_CURRENCY]: ofBase = 1, ...rates } = body.rates;
  const bad = [
    ...Object.keys(rates)
      .filter((code) => !isCurrency(code))
      .map((code) => ({ path: `/body/rates/${code}`, message: codeRules.currency })),
    ...(ofBase === 1 ? [] : [{ path: `/body/rates/${BASE_CURRENCY}`, message: 'must be 1: it is the base' }]),
  ];
  if (bad.length > 0) throw invalid('The exchange rates are not valid.', bad);
  const setter = { source: 'admin', setBy: caller.userId } as const;
  // By itself: this process compares by the table from here on.
  await inTransaction(services.db, (tx) => replaceRates(tx, { date: body.date, rates }, setter, services.clock.now()), {
    autonomous: true,
  });
  services.rates.forget();
  return { status: 200, effects: { changed: { listings: 'all' } }, body: await presentRates(services) };
};

async function presentRates({ pool, config }: Services): Promise<Result<'getRates', 200>> {
  const [{ set_at: setAt, ...stored }, feed] = await Promise.all([readStoredRates(pool), readFeedState(pool)]);
  return {
    base: BASE_CURRENCY,
    ...stored,
    rates: { ...stored.rates },
    set_at: setAt?.toISOString() ?? null,
    feed: {
      configured: config.ratesUrl !== undefined,
      succeeded_at: feed.succeeded_at?.toISOString() ?? null,
      failing_since: feed.failing_since?.toISOString() ?? null,
      error: feed.error,
    },
  };
}
