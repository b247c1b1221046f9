import { inTransaction } from '../../db/client.ts';
import { appendMessage } from '../../shared/conversations/append.ts';
import { lockConversationAbout } from '../../shared/conversations/conversation.ts';
import { findTopic, openConversation, type Topic } from '../../shared/conversations/open.ts';
import { detectContactDetails } from '../../shared/conversations/warnings.ts';
import { notFound } from '../../shared/kit/errors.ts';
import type { Tx } from '../../shared/queues/jobs.ts';
import { consumeQuota } from '../../shared/profiles/quotas.ts';
import type { AuthenticatedRequest } from '../http/types.ts';
import type { AuthenticatedHandler } from '../handler.ts';
import { mayRead } from '../listings/visibility.ts';
import type { Services } from '../services.ts';
import { presentMessage } from './present.ts';

/**
 * Writes to the seller of a listing: in the conversation that the caller has about it, whatever has become of the listing, or
 * in a new one, if the caller may see it. However many requests come at the same time, there is one.
 */
export const startConversation: AuthenticatedHandler<'startConversation'> = async (services, request) => {
  const { body, caller } = request;
  const { created, warnings, message } = await inTransaction(services.db, async (tx) => {
    const listing = await findTopic(tx, body.listing_id);
    const known = await lockConversationAbout(tx, listing ?? { id: body.listing_id }, caller.userId);
    const { conversation, created } = known
      ? { conversation: known, created: false }
      : await open(tx, services, request, listing);
    const warnings = await detectContactDetails(tx, conversation.id, caller.userId, body.message);
    const message = await appendMessage(tx, services, conversation, caller.userId, body.message);
    return { created, warnings, message };
  });
  const answer = { id: message.conversation_id, message: presentMessage(message), created, warnings };
  return { status: created ? 201 : 200, body: answer };
};

async function open(
  tx: Tx,
  services: Services,
  { body, caller, ip }: AuthenticatedRequest<'startConversation'>,
  listing: Topic | undefined,
) {
  const { profile, config, clock } = services;
  if (!listing || !mayRead(listing, caller, profile)) throw notFound('listing', body.listing_id);
  const opened = await openConversation(tx, services, listing, caller.userId);
  if (opened.created) {
    const subjects = { user: caller.userId, ip, admin: caller.role === 'admin' };
    const rules = profile.quotas.new_conversation;
    await consumeQuota(
      tx,
      { quota: 'new_conversation', rules, subjects, multiplier: config.rateLimitMultiplier },
      clock.now(),
    );
  }
  return opened;
}
