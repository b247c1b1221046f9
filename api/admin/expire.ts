import { expireListings as letExpire } from '../../shared/listings/expire.ts';
import { remindOfExpiry } from '../../shared/listings/remind.ts';
import type { Handler } from '../handler.ts';

/** Lets listings expire at once whose time is over, as the schedule does every quarter of an hour. */
export const expireListings: Handler<'expireListings'> = async (services) => ({
  status: 200,
  body: { ...(await letExpire(services)), timestamp: services.clock.now().toISOString() },
  effects: { changed: { listings: 'all' } },
});

/** Reminds owners at once whose listings expire soon, as the schedule does every day; nobody is reminded twice. */
export const notifyExpiring: Handler<'notifyExpiring'> = async (services) => ({
  status: 200,
  body: { ...(await remindOfExpiry(services)), timestamp: services.clock.now().toISOString() },
});
