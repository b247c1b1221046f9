import { notFound } from '../../shared/kit/errors.ts';
import { isId } from '../../shared/kit/ids.ts';
import { presentPremium } from '../listings/present.ts';
import { mayRead } from '../listings/visibility.ts';
import type { Handler } from '../handler.ts';

/** The promotion of a listing, for whoever may read the listing; to everybody else it does not exist. */
export const getPremiumStatus: Handler<'getPremiumStatus'> = async (services, { params, caller }) => {
  const listing = await services.db
    .selectFrom('listings')
    .select(['status', 'seller_id', 'premium_type', 'premium_until'])
    .where(isId('listing', params.id) ? 'id' : 'slug', '=', params.id)
    .executeTakeFirst();
  if (!listing || !mayRead(listing, caller, services.profile)) throw notFound('listing', params.id);
  return { status: 200, body: presentPremium(listing, services.clock.now()) };
};

/** Whether promotions are really paid for, or only in play. */
export const getPaymentStatus: Handler<'getPaymentStatus'> = ({ payments }) => {
  const isLive = payments.mode === 'payment';
  return { status: 200, body: { mode: isLive ? 'live' : 'stub', configured: isLive } };
};
