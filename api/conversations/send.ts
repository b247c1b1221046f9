import { inTransaction } from '../../db/client.ts';
import { appendMessage } from '../../shared/conversations/append.ts';
import { lockConversation } from '../../shared/conversations/conversation.ts';
import { detectContactDetails } from '../../shared/conversations/warnings.ts';
import type { AuthenticatedHandler } from '../handler.ts';
import { presentMessage } from './present.ts';

/** Writes in a conversation of the caller; 404 for everybody but its two parties. */
export const sendMessage: AuthenticatedHandler<'sendMessage'> = async (services, { params, body, caller }) => {
  const { message, warnings } = await inTransaction(services.db, async (tx) => {
    const conversation = await lockConversation(tx, params.id, caller.userId);
    const warnings = await detectContactDetails(tx, conversation.id, caller.userId, body.content);
    return { message: await appendMessage(tx, services, conversation, caller.userId, body.content), warnings };
  });
  return { status: 201, body: { ...presentMessage(message), warnings } };
};
