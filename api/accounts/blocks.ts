import { inTransaction } from '../../db/client.ts';
import * as blocks from '../../shared/accounts/blocks.ts';
import { invalid, notFound } from '../../shared/kit/errors.ts';
import type { AuthenticatedHandler } from '../handler.ts';

/** Whom the caller has blocked, the last first. */
export const listBlocks: AuthenticatedHandler<'listBlocks'> = async ({ db }, { caller }) => {
  const rows = await blocks.findBlocks(db, caller.userId);
  return { status: 200, body: { results: rows.map(presentBlock) } };
};

/** Blocks somebody; again changes nothing. */
export const blockUser: AuthenticatedHandler<'blockUser'> = async ({ db, clock }, { body, caller }) => {
  if (body.user_id === caller.userId)
    throw invalid('Nobody can block themselves.', [{ path: '/body/user_id', message: 'is your own id' }]);
  const block = await inTransaction(db, (tx) => blocks.blockUser(tx, caller.userId, body.user_id, clock.now()));
  if (!block)
    throw invalid('There is nobody to be blocked.', [{ path: '/body/user_id', message: 'must be the id of a person' }]);
  return { status: 200, body: presentBlock(block) };
};

/** Ends a block, if there is one; 404 for nobody. */
export const unblockUser: AuthenticatedHandler<'unblockUser'> = async ({ db }, { params, caller }) => {
  const isKnown = await inTransaction(db, (tx) => blocks.unblockUser(tx, caller.userId, params.userId));
  if (!isKnown) throw notFound('user', params.userId);
  return { status: 200, body: { user_id: params.userId, blocked: false } };
};

const presentBlock = ({ created_at, ...block }: blocks.Block) => ({
  ...block,
  created_at: created_at.toISOString(),
});
