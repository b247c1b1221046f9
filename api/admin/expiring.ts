import { answerExpiring } from '../accounts/expiring.ts';
import type { Handler } from '../handler.ts';

/** One page of everybody's listings that expire within some days, soonest first. */
export const listExpiringListings: Handler<'listExpiringListings'> = async (services, request) =>
  answerExpiring(services, request);
