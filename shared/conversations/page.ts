import type { Pool } from 'pg';
import type { Conversation } from './conversation.ts';

/** A conversation with the names of its parties, as one of them sees it. */
export type ConversationRow = Conversation & { buyer_name: string; seller_name: string };
export type ListedConversation = ConversationRow & { unread_count: number };
export type MessageRow = {
  id: string;
  sender_id: string;
  content: string;
  read_at: Date | null;
  created_at: Date;
  is_removed: boolean;
};

type Page = { offset: number; limit: number };

const columns = `c.id, c.listing_id, c.listing_title, c.listing_slug, c.buyer_id, c.seller_id, c.last_message, c.last_message_at,
  c.created_at, b.name as buyer_name, s.name as seller_name`;
const parties = 'join users b on b.id = c.buyer_id join users s on s.id = c.seller_id';

// One walk as a buyer and one as a seller, merged. What is unread is counted, never kept: no write can get it wrong.
const pageOf = (about: string) => `
  with mine as (
    (select * from conversations where buyer_id = $1 ${about} order by last_message_at desc, id desc limit $2::int + $3::int)
    union all
    (select * from conversations where seller_id = $1 ${about} order by last_message_at desc, id desc limit $2::int + $3::int)
  ), page as (select * from mine order by last_message_at desc, id desc limit $2::int offset $3::int)
  select ${columns}, u.unread_count from page c ${parties}
  cross join lateral (
    select count(*)::int as unread_count from messages m
    where m.conversation_id = c.id and m.sender_id = case c.buyer_id when $1 then c.seller_id else c.buyer_id end
      and m.read_at is null) as u
  order by c.last_message_at desc, c.id desc`;

/** By id or by slug: a slug leads to the id while the listing is there. */
const aboutListing = (parameter: string) =>
  `and listing_id = (select coalesce((select id from listings where slug = ${parameter}), ${parameter}))`;

const countOf = (about: string) => `
  select (select count(*) from conversations where buyer_id = $1 ${about})
       + (select count(*) from conversations where seller_id = $1 ${about}) as total`;

/** One page of a user's conversations, the one written in last first, and how many there are; with `listing` (id or slug) only those about it. */
export async function findConversations(
  pool: Pool,
  { userId, listing, offset, limit }: Page & { userId: string; listing?: string | undefined },
): Promise<{ rows: ListedConversation[]; total: number }> {
  const isAbout = listing !== undefined;
  const name = `conversations-of-user${isAbout ? '-about' : ''}`;
  const filter = isAbout ? [listing] : [];
  const [{ rows }, { rows: counted }] = await Promise.all([
    pool.query<ListedConversation>({
      name,
      text: pageOf(isAbout ? aboutListing('$4') : ''),
      values: [userId, limit, offset, ...filter],
    }),
    pool.query<{ total: number }>({
      name: `${name}-count`,
      text: countOf(isAbout ? aboutListing('$2') : ''),
      values: [userId, ...filter],
    }),
  ]);
  return { rows, total: counted[0]?.total ?? 0 };
}

/** A conversation of this user; undefined for one that is not theirs. */
export async function findConversation(pool: Pool, id: string, userId: string): Promise<ConversationRow | undefined> {
  const { rows } = await pool.query<ConversationRow>({
    name: 'conversation',
    text: `select ${columns} from conversations c ${parties} where c.id = $1 and (c.buyer_id = $2 or c.seller_id = $2)`,
    values: [id, userId],
  });
  return rows[0];
}

/** One page of the messages of a conversation, in the order in which they were written or the other way round, and how many there are. */
export async function findMessages(
  pool: Pool,
  { conversationId, newestFirst, offset, limit }: Page & { conversationId: string; newestFirst: boolean },
): Promise<{ rows: MessageRow[]; total: number }> {
  const order = newestFirst ? 'desc' : 'asc';
  const [{ rows }, { rows: counted }] = await Promise.all([
    pool.query<MessageRow>({
      name: `messages-${order}`,
      text: `select id, sender_id, case when removed_at is null then content else '' end as content, read_at, created_at,
               removed_at is not null as is_removed
             from messages where conversation_id = $1
             order by id ${order} limit $2 offset $3`,
      values: [conversationId, limit, offset],
    }),
    pool.query<{ total: number }>({
      name: 'messages-count',
      text: 'select count(*) as total from messages where conversation_id = $1',
      values: [conversationId],
    }),
  ]);
  return { rows, total: counted[0]?.total ?? 0 };
}
