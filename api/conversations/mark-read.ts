import { inTransaction } from '../../db/client.ts';
import { lockConversation } from '../../shared/conversations/conversation.ts';
import { markRead } from '../../shared/conversations/mark-read.ts';
import type { AuthenticatedHandler } from '../handler.ts';

/** Marks as read what the caller has received in a conversation up to now; a message that arrives meanwhile stays unread. */
export const markConversationRead: AuthenticatedHandler<'markConversationRead'> = async (
  { db, clock },
  { params, caller },
) => {
  const now = clock.now();
  const marked_read = await inTransaction(db, async (tx) => {
    const conversation = await lockConversation(tx, params.id, caller.userId);
    return markRead(tx, conversation, caller.userId, now);
  });
  return { status: 200, body: { conversation_id: params.id, marked_read, read_at: now.toISOString() } };
};
