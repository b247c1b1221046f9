import type { Handler } from '../handler.ts';
import { headersOf, readPrices } from './market.ts';

/** What things like the one described cost, and what to ask for it. */
export const recommendPrice: Handler<'recommendPrice'> = async (services, request) => {
  const { body } = await readPrices(services, request);
  return { status: 200, headers: headersOf(request), body };
};
