import { inTransaction } from '../../db/client.ts';
import * as traders from '../../shared/accounts/traders.ts';
import { codeRules, isCountry } from '../../shared/kit/codes.ts';
import { invalid } from '../../shared/kit/errors.ts';
import type { Effects } from '../effects.ts';
import type { AuthenticatedHandler } from '../handler.ts';

/** Which listings show the seller is not known to the caches. */
const publications: Effects = { changed: { listings: 'all', rentals: 'all' } };

/** What the caller has declared as a trader. */
export const getMyTrader: AuthenticatedHandler<'getMyTrader'> = async ({ db }, { caller }) => {
  const trader = await traders.findTrader(db, caller.userId);
  return { status: 200, body: { trader: trader ? presentTrader(trader) : null } };
};

/** Stores what the caller declares as a trader; it is public from then on. */
export const declareTrader: AuthenticatedHandler<'declareTrader'> = async ({ db, clock }, { body, caller }) => {
  const { country, name, address, register, register_number: number, email, phone } = body;
  if (!isCountry(country))
    throw invalid('There is no such country.', [{ path: '/body/country', message: codeRules.country }]);
  const trader = await inTransaction(db, async (tx) => {
    const declared = {
      name: name.trim(),
      address: address.trim(),
      country,
      register: register?.trim() || null,
      register_number: number?.trim() || null,
      email,
      phone,
    };
    await traders.storeTrader(tx, caller.userId, declared, clock.now());
    return traders.findTrader(tx, caller.userId);
  });
  return { status: 200, body: { trader: presentTrader(trader!) }, effects: publications };
};

/** Withdraws the caller's declaration. */
export const withdrawTrader: AuthenticatedHandler<'withdrawTrader'> = async ({ db, clock }, { caller }) => {
  await inTransaction(db, (tx) => traders.deleteTrader(tx, caller.userId, clock.now()));
  return { status: 200, body: { trader: null }, effects: publications };
};

/** Trader of openapi.yaml. */
export const presentTrader = ({ certified_at, ...trader }: traders.Trader) => ({
  ...trader,
  certified_at: certified_at.toISOString(),
});
