import type { Conversation } from '../../shared/conversations/conversation.ts';
import type { Message } from '../../shared/conversations/append.ts';
import type { ConversationRow, ListedConversation, MessageRow } from '../../shared/conversations/page.ts';
import type { Result } from '../http/types.ts';

type Item = Result<'listConversations', 200>['results'][number];
type Detail = Result<'getConversation', 200>;
type Sent = Result<'startConversation', 201>['message'];

/** ConversationListItem of openapi.yaml. */
export function presentConversation(row: ListedConversation): Item {
  return {
    ...presentFrame(row),
    last_message: row.last_message,
    unread_count: row.unread_count,
  };
}

/** ConversationDetail of openapi.yaml, with one page of its messages. */
export function presentDetail(
  row: ConversationRow,
  messages: MessageRow[],
  pagination: Detail['messages']['pagination'],
): Detail {
  const nameOf = (senderId: string) => (senderId === row.buyer_id ? row.buyer_name : row.seller_name);
  return {
    ...presentFrame(row),
    messages: {
      results: messages.map(({ id, sender_id, content, read_at, created_at, is_removed: isRemoved }) => ({
        id,
        sender_id,
        sender_name: nameOf(sender_id),
        content,
        read_at: read_at?.toISOString() ?? null,
        created_at: created_at.toISOString(),
        ...(isRemoved && { removed: true as const }),
      })),
      pagination,
    },
  };
}

/** MessageResponse of openapi.yaml. */
export function presentMessage({ read_at, created_at, ...message }: Message): Sent {
  return { ...message, read_at: read_at?.toISOString() ?? null, created_at: created_at.toISOString() };
}

function presentFrame(row: Conversation & { buyer_name: string; seller_name: string }) {
  return {
    id: row.id,
    listing: { id: row.listing_id, title: row.listing_title, slug: row.listing_slug },
    buyer: { id: row.buyer_id, name: row.buyer_name },
    seller: { id: row.seller_id, name: row.seller_name },
    created_at: row.created_at.toISOString(),
    last_message_at: row.last_message_at.toISOString(),
  };
}
