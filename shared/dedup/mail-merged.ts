import { sql } from 'kysely';
import type { Tx } from '../queues/jobs.ts';
import type { DecideServices } from './lock-group.ts';

/**
 * Mails the owners of those listings that a merge has just deleted in favour of somebody else's, in the transaction of the
 * merge. Nobody is told of pages that were found on other sites, nor of two listings of their own.
 */
export async function mailMergedOwners(
  tx: Tx,
  { jobs, clock }: Pick<DecideServices, 'jobs' | 'clock'>,
  members: readonly string[],
): Promise<void> {
  const { rows } = await sql<{ id: string; seller_id: string }>`
    select l.id, l.seller_id from listings l join listings k on k.id = l.merged_into
    where l.id = any(${members}::text[]) and l.status = 'deleted' and l.source <> 'scraped' and l.seller_id <> k.seller_id
    order by l.id`.execute(tx);
  for (const { id, seller_id } of rows)
    await jobs.enqueue(tx, 'send-email', {
      // A listing can be merged once more after a merge was taken back.
      message_id: `listing-merged.${id}.${clock.now().getTime()}`,
      template: 'listing-merged',
      user_id: seller_id,
      data: { listing_id: id },
    });
}
