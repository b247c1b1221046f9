import type { Tx } from '../queues/jobs.ts';
import { counterpartOf, type Conversation } from './conversation.ts';

/** Marks as read what this party of a locked conversation has received in it up to now; it tells how many messages that were. */
export async function markRead(tx: Tx, conversation: Conversation, userId: string, now: Date): Promise<number> {
  const { numUpdatedRows } = await tx
    .updateTable('messages')
    .set({ read_at: now })
    .where('conversation_id', '=', conversation.id)
    .where('sender_id', '=', counterpartOf(conversation, userId))
    .where('read_at', 'is', null)
    .executeTakeFirst();
  return Number(numUpdatedRows);
}
