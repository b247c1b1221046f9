import type { Clock } from '../kit/clock.ts';
import { recordEvents } from '../journal/events.ts';
import { newId } from '../kit/ids.ts';
import type { Jobs, Tx } from '../queues/jobs.ts';
import { assertReachable } from './reachable.ts';
import { counterpartOf, type Conversation } from './conversation.ts';

/** A message as it is stored. */
export type Message = {
  id: string;
  conversation_id: string;
  sender_id: string;
  content: string;
  read_at: Date | null;
  created_at: Date;
};

/**
 * Adds a message to a locked conversation, with its event for the other party. A mail goes out when there is news: not while
 * an earlier message that it told of is neither read nor answered. 403 for a writer whom the other has blocked.
 */
export async function appendMessage(
  tx: Tx,
  { jobs, clock }: { jobs: Pick<Jobs, 'enqueue'>; clock: Clock },
  conversation: Conversation,
  senderId: string,
  content: string,
): Promise<Message> {
  const created_at = clock.now();
  const recipientId = counterpartOf(conversation, senderId);
  await assertReachable(tx, { id: senderId }, recipientId);
  const isNews = conversation.last_message?.sender_id !== senderId || !(await hasUnread(tx, conversation.id, senderId));
  const message = {
    id: newId('message'),
    conversation_id: conversation.id,
    sender_id: senderId,
    content,
    read_at: null,
    created_at,
  };
  await tx.insertInto('messages').values(message).execute();
  await tx
    .updateTable('conversations')
    .set({ last_message: JSON.stringify({ content, sender_id: senderId, created_at }), last_message_at: created_at })
    .where('id', '=', conversation.id)
    .execute();
  await recordEvents(tx, created_at, [
    {
      type: 'message.received',
      subject: message.id,
      ownerId: recipientId,
      data: {
        message_id: message.id,
        conversation_id: conversation.id,
        listing_id: conversation.listing_id,
        sender_id: senderId,
      },
    },
  ]);
  if (isNews)
    await jobs.enqueue(tx, 'send-email', {
      message_id: `new-message.${message.id}`,
      template: 'new-message',
      user_id: recipientId,
      data: { message_id: message.id },
    });
  return message;
}

/** Whether a message of this sender waits to be read. */
async function hasUnread(tx: Tx, conversationId: string, senderId: string): Promise<boolean> {
  const unread = await tx
    .selectFrom('messages')
    .select('id')
    .where('conversation_id', '=', conversationId)
    .where('sender_id', '=', senderId)
    .where('read_at', 'is', null)
    .limit(1)
    .executeTakeFirst();
  return unread !== undefined;
}
