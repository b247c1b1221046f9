import type { Tx } from '../queues/jobs.ts';
import { measureLinks, measurePhones } from '../moderation/contacts.ts';

export type MessageWarning = { code: 'phone' | 'link'; message: string };

const phone: MessageWarning = {
  code: 'phone',
  message:
    'The message holds a telephone number. Think twice before you give yours to somebody whom you do not know yet.',
};
const link: MessageWarning = {
  code: 'link',
  message: 'The message holds a web address. People are wary of those that strangers send: say where it leads.',
};

/**
 * What to think about in the first message that somebody writes in a conversation: telephone numbers and web addresses. It is
 * sent all the same, and later messages are nobody's business.
 */
export async function detectContactDetails(
  tx: Tx,
  conversationId: string,
  senderId: string,
  content: string,
): Promise<MessageWarning[]> {
  const warnings = [
    ...(measurePhones(content).total > 0 ? [phone] : []),
    ...(measureLinks(content).total > 0 ? [link] : []),
  ];
  if (warnings.length === 0) return [];
  const earlier = await tx
    .selectFrom('messages')
    .select('id')
    .where('conversation_id', '=', conversationId)
    .where('sender_id', '=', senderId)
    .limit(1)
    .executeTakeFirst();
  return earlier ? [] : warnings;
}
