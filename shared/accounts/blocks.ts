import type { Database } from '../../db/client.ts';
import { invalid } from '../kit/errors.ts';
import type { Tx } from '../queues/jobs.ts';

export type Block = { user_id: string; name: string; created_at: Date };

const MAX_BLOCKS = 1_000;

/** Everybody whom a user has blocked, the last first. */
export const findBlocks = (db: Database, userId: string): Promise<Block[]> =>
  selectBlocks(db, userId).orderBy('b.created_at', 'desc').orderBy('b.blocked_id', 'desc').limit(MAX_BLOCKS).execute();

/**
 * Blocks somebody, unless they are blocked already; undefined when there is no such person. 400 for more than MAX_BLOCKS, also
 * under parallel requests: the blocker's row is locked.
 */
export async function blockUser(tx: Tx, blockerId: string, blockedId: string, now: Date): Promise<Block | undefined> {
  await tx.selectFrom('users').select('id').where('id', '=', blockerId).forNoKeyUpdate().executeTakeFirstOrThrow();
  const known = await findBlock(tx, blockerId, blockedId);
  if (known) return known;
  const { count } = await tx
    .selectFrom('user_blocks')
    .select((build) => build.cast<number>(build.fn.countAll(), 'integer').as('count'))
    .where('blocker_id', '=', blockerId)
    .executeTakeFirstOrThrow();
  if (count >= MAX_BLOCKS)
    throw invalid('Nobody more can be blocked.', [
      { path: '/body/user_id', message: `is one more than ${MAX_BLOCKS}` },
    ]);
  await tx
    .insertInto('user_blocks')
    .columns(['blocker_id', 'blocked_id', 'created_at'])
    .expression((build) =>
      build
        .selectFrom('users')
        .select([build.val(blockerId).as('blocker_id'), 'id', build.val(now).as('created_at')])
        .where('id', '=', blockedId),
    )
    .execute();
  return findBlock(tx, blockerId, blockedId);
}

/** Ends a block; one that is not there stays so. Answers whether there is such a person. */
export async function unblockUser(tx: Tx, blockerId: string, blockedId: string): Promise<boolean> {
  await tx.deleteFrom('user_blocks').where('blocker_id', '=', blockerId).where('blocked_id', '=', blockedId).execute();
  return (await tx.selectFrom('users').select('id').where('id', '=', blockedId).executeTakeFirst()) !== undefined;
}

const findBlock = (tx: Tx, blockerId: string, blockedId: string): Promise<Block | undefined> =>
  selectBlocks(tx, blockerId).where('b.blocked_id', '=', blockedId).executeTakeFirst();

const selectBlocks = (db: Database, blockerId: string) =>
  db
    .selectFrom('user_blocks as b')
    .innerJoin('users as u', 'u.id', 'b.blocked_id')
    .select(['b.blocked_id as user_id', 'u.name', 'b.created_at'])
    .where('b.blocker_id', '=', blockerId);
