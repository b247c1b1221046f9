import { randomUUID } from 'node:crypto';
import { assertReachable } from '../conversations/reachable.ts';
import type { Clock } from '../kit/clock.ts';
import { normalizeEmail } from '../kit/email.ts';
import type { Jobs, Tx } from '../queues/jobs.ts';
import type { EventListing } from './listing-event.ts';

/** `userId` where the sender is signed in. */
type Sender = { name: string; email: string; message: string; userId?: string | undefined };

/**
 * Stores a message to the owner of a listing and queues its mail, in the caller's transaction. The job holds the message's
 * id alone: no address and no text travels in a job. 403 for somebody whom the owner has blocked.
 */
export async function forwardContactMessage(
  tx: Tx,
  { jobs, clock }: { jobs: Pick<Jobs, 'enqueue'>; clock: Clock },
  listing: EventListing,
  { name, email, message, userId }: Sender,
): Promise<void> {
  await assertReachable(tx, { id: userId, email: normalizeEmail(email) }, listing.seller_id);
  const id = randomUUID();
  await tx
    .insertInto('contact_requests')
    .values({
      id,
      listing_id: listing.id,
      listing_title: listing.title,
      listing_slug: listing.slug,
      category_id: listing.category_id,
      seller_id: listing.seller_id,
      name,
      email,
      message,
      created_at: clock.now(),
    })
    .execute();
  await jobs.enqueue(tx, 'send-email', {
    message_id: `contact-owner.${id}`,
    template: 'contact-owner',
    user_id: listing.seller_id,
    data: { contact_request_id: id },
  });
}
