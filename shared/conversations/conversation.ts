import { notFound } from '../kit/errors.ts';
import type { Tx } from '../queues/jobs.ts';

export type LastMessage = { content: string; sender_id: string; created_at: string };

/** A conversation of two parties about a listing, of which it holds what it shows: it outlives the listing. */
export type Conversation = {
  id: string;
  listing_id: string;
  listing_title: string;
  listing_slug: string;
  buyer_id: string;
  seller_id: string;
  last_message: LastMessage | null;
  last_message_at: Date;
  created_at: Date;
};

export const conversationColumns = [
  'id',
  'listing_id',
  'listing_title',
  'listing_slug',
  'buyer_id',
  'seller_id',
  'last_message',
  'last_message_at',
  'created_at',
] as const satisfies (keyof Conversation)[];

/** The party that this one talks to. */
export function counterpartOf({ buyer_id, seller_id }: Conversation, userId: string): string {
  return userId === buyer_id ? seller_id : buyer_id;
}

/**
 * A conversation of this user, locked until the transaction ends: what is written and what is read come one after the other.
 * To everybody but its two parties it does not exist: 404.
 */
export async function lockConversation(tx: Tx, id: string, userId: string): Promise<Conversation> {
  const conversation = await tx
    .selectFrom('conversations')
    .select(conversationColumns)
    .where('id', '=', id)
    .where((is) => is.or([is('buyer_id', '=', userId), is('seller_id', '=', userId)]))
    .forUpdate()
    .executeTakeFirst();
  if (!conversation) throw notFound('conversation', id);
  return conversation as Conversation;
}

/**
 * The one conversation that this user has, as a buyer, with the seller of a listing, whatever has become of that; locked. Of
 * a listing that is gone for good nothing but its id is known.
 */
export async function lockConversationAbout(
  tx: Tx,
  listing: { id: string; seller_id?: string; merged_into?: string | null },
  buyerId: string,
): Promise<Conversation | undefined> {
  const { id, seller_id, merged_into } = listing;
  let found = tx
    .selectFrom('conversations')
    .select(conversationColumns)
    .where('listing_id', 'in', merged_into ? [id, merged_into] : [id])
    .where('buyer_id', '=', buyerId);
  if (seller_id !== undefined) found = found.where('seller_id', '=', seller_id);
  const conversation = await found.orderBy('id').limit(1).forUpdate().executeTakeFirst();
  return conversation as Conversation | undefined;
}
