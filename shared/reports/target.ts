import type { EventListing } from '../listings/listing-event.ts';
import { eventColumns } from '../listings/listing-event.ts';
import type { Subject } from '../notices/subject.ts';
import type { Tx } from '../queues/jobs.ts';

/** What moderation decides about, locked: whose it is, and how it is called. */
export type Target = {
  subject: Subject;
  ownerId: string;
  title: string | null;
  /** Whether it is out of sight for good already. */
  isGone: boolean;
  listing?: EventListing;
};

/** Locks what a decision is about until the transaction ends, so that of several decisions each sees the one before; undefined where there is no such thing. */
export async function lockTarget(tx: Tx, subject: Subject): Promise<Target | undefined> {
  const { type, id } = subject;
  if (type === 'listing') {
    const listing = await tx
      .selectFrom('listings')
      .select(eventColumns)
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst();
    if (!listing) return undefined;
    const { seller_id: ownerId, title, status } = listing;
    return { subject, ownerId, title, isGone: status === 'deleted', listing };
  }
  if (type === 'user') {
    const user = await tx
      .selectFrom('users')
      .select(['name', 'disabled_at'])
      .where('id', '=', id)
      .where('left_at', 'is', null)
      .forUpdate()
      .executeTakeFirst();
    return user && { subject, ownerId: id, title: user.name, isGone: false };
  }
  const row =
    type === 'review'
      ? await tx
          .selectFrom('reviews')
          .select(['reviewer_id as owner', 'removed_at'])
          .where('id', '=', id)
          .forUpdate()
          .executeTakeFirst()
      : await tx
          .selectFrom('messages')
          .select(['sender_id as owner', 'removed_at'])
          .where('id', '=', id)
          .forUpdate()
          .executeTakeFirst();
  return row && { subject, ownerId: row.owner, title: null, isGone: row.removed_at !== null };
}
