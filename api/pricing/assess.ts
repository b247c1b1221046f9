import { compareToMarket } from '../../shared/pricing/judge.ts';
import type { Handler } from '../handler.ts';
import { headersOf, readPrices } from './market.ts';

/** What a price is among those of things like the one described. */
export const assessPrice: Handler<'assessPrice'> = async (services, request) => {
  const { price } = request.query;
  const { market, body } = await readPrices(services, request, price);
  const { assessment, percentile, deviationPercent: deviation_percent } = compareToMarket(price, market);
  return {
    status: 200,
    headers: headersOf(request),
    body: { price, currency: market.currency, assessment, percentile, deviation_percent, market: body },
  };
};
