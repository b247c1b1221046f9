import type { AuthenticatedHandler } from '../handler.ts';
import { findOwnWebhook } from './find.ts';
import { presentWebhook } from './present.ts';

/** One webhook of the caller. */
export const getWebhook: AuthenticatedHandler<'getWebhook'> = async (services, { params, caller }) => {
  return { status: 200, body: presentWebhook(await findOwnWebhook(services, params.id, caller.userId)) };
};
