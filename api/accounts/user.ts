import { findPublicProfile } from '../../shared/accounts/public-profile.ts';
import { notFound } from '../../shared/kit/errors.ts';
import type { Result } from '../http/types.ts';
import type { Handler } from '../handler.ts';
import { presentTrader } from './trader.ts';

type PublicUserProfile = Result<'getUser', 200>;

/** What everybody may know of a user; 404 for nobody and for a disabled account. */
export const getUser: Handler<'getUser'> = async ({ db }, { params }) => {
  const profile = await findPublicProfile(db, params.id);
  if (!profile) throw notFound('user', params.id);
  const { type, created_at, trader, ...fields } = profile;
  return {
    status: 200,
    body: {
      ...fields,
      type: type as PublicUserProfile['type'],
      created_at: created_at.toISOString(),
      ...(trader && { trader: presentTrader(trader) }),
    },
  };
};
