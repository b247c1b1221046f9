import { sql } from 'kysely';
import { recordProfileChange } from '../accounts/profile-changed.ts';
import type { Tx } from '../queues/jobs.ts';

/** Takes a locked review out of sight, or brings it back: lists and ratings follow. */
export async function setReviewRemoved(tx: Tx, id: string, removedAt: Date | null, now: Date): Promise<void> {
  const review = await tx
    .updateTable('reviews')
    .set({ removed_at: removedAt })
    .where('id', '=', id)
    .returning('seller_id')
    .executeTakeFirst();
  if (review) await recordProfileChange(tx, review.seller_id, now);
}

/** Takes the words of a locked message from both sides, or gives them back, also where the conversation shows it as its last. */
export async function setMessageRemoved(tx: Tx, id: string, removedAt: Date | null): Promise<void> {
  const message = await tx
    .updateTable('messages')
    .set({ removed_at: removedAt })
    .where('id', '=', id)
    .returning(['conversation_id', 'content'])
    .executeTakeFirst();
  if (!message) return;
  const content = removedAt === null ? message.content : '';
  await sql`
    update conversations set last_message = jsonb_set(last_message, '{content}', to_jsonb(${content}::text))
    where id = ${message.conversation_id}
      and ${id} = (select max(id) from messages where conversation_id = ${message.conversation_id})`.execute(tx);
}
