import { randomUUID } from 'node:crypto';
import type { Clock } from '../kit/clock.ts';
import type { Jobs, Tx } from '../queues/jobs.ts';
import type { EventListing } from './listing-event.ts';

type Sender = { name: string; email: string; message: string };

/**
 * Stores a message to the owner of a listing and queues its mail, in the caller's transaction. The job holds the message's
 * id alone: no address and no text travels in a job.
 */
export async function forwardContactMessage(
  tx: Tx,
  { jobs, clock }: { jobs: Pick<Jobs, 'enqueue'>; clock: Clock },
  listing: EventListing,
  { name, email, message }: Sender,
): Promise<void> {
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
