import type { Clock } from '../kit/clock.ts';
import { conflict, invalid } from '../kit/errors.ts';
import { isId, newId } from '../kit/ids.ts';
import type { Tx } from '../queues/jobs.ts';
import { conversationColumns, lockConversationAbout, type Conversation } from './conversation.ts';

/** What a new conversation needs to know of its listing. */
export type Topic = {
  id: string;
  slug: string;
  title: string;
  status: string;
  seller_id: string;
  /** Who has bought it, where the seller has said so. */
  buyer_id: string | null;
  /** The listing that it is part of now, and where what was said about it has gone. */
  merged_into: string | null;
};

/** There is nothing to talk about any more, but for those who talk about it already. */
const closed = new Set(['sold', 'expired', 'deleted']);

/** The listing of that id or slug in any status; undefined for one that never was, or is gone for good. */
export async function findTopic(tx: Tx, idOrSlug: string): Promise<Topic | undefined> {
  return tx
    .selectFrom('listings')
    .select(['id', 'slug', 'title', 'status', 'seller_id', 'buyer_id', 'merged_into'])
    .where(isId('listing', idOrSlug) ? 'id' : 'slug', '=', idOrSlug)
    .executeTakeFirst();
}

/**
 * Opens the conversation of a buyer with the seller of a listing. There is one for each: of those that are opened at the same
 * time the unique index lets one through, and the others get that one, locked. 400 with oneself; 409 about what is sold
 * (to somebody else), expired or deleted.
 */
export async function openConversation(
  tx: Tx,
  { clock }: { clock: Clock },
  listing: Topic,
  buyerId: string,
): Promise<{ conversation: Conversation; created: boolean }> {
  if (listing.seller_id === buyerId)
    throw invalid('This listing is your own.', [{ path: '/body/listing_id', message: 'is your own listing' }]);
  if (closed.has(listing.status) && !(listing.status === 'sold' && listing.buyer_id === buyerId))
    throw conflict(`This listing is ${listing.status}: no new conversation can begin about it.`);
  const now = clock.now();
  const opened = await tx
    .insertInto('conversations')
    .values({
      id: newId('conversation'),
      listing_id: listing.id,
      listing_title: listing.title,
      listing_slug: listing.slug,
      buyer_id: buyerId,
      seller_id: listing.seller_id,
      last_message_at: now,
      created_at: now,
    })
    .onConflict((conflicting) => conflicting.columns(['listing_id', 'buyer_id', 'seller_id']).doNothing())
    .returning(conversationColumns)
    .executeTakeFirst();
  if (opened) return { conversation: opened as Conversation, created: true };
  const conversation = await lockConversationAbout(tx, listing, buyerId);
  if (!conversation) throw new Error(`the conversation of ${buyerId} about ${listing.id} is neither new nor known`);
  return { conversation, created: false };
}
