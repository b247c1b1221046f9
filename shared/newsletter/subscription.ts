import { dayOf } from '../kit/clock.ts';
import { sql } from 'kysely';
import type { Database } from '../../db/client.ts';
import type { Jobs, Tx } from '../queues/jobs.ts';

/** Mails of welcome that one address is sent a day, however often it comes and goes. */
export const MAX_WELCOMES = 3;

/**
 * Puts a normalised address on the list, in the language its subscriber reads. Whoever is on it already stays as they are;
 * whoever is new, or comes back, is mailed a welcome, a few times a day at most.
 */
export async function subscribeToNewsletter(
  tx: Tx,
  { jobs }: { jobs: Pick<Jobs, 'enqueue'> },
  { email, language }: { email: string; language: string },
  now: Date,
): Promise<void> {
  const day = dayOf(now);
  const { rows } = await sql<{ id: string; welcomes: number }>`
    insert into newsletter_subscribers as s (email, language, subscribed_at, welcomed_on, welcomes)
    values (${email}, ${language}, ${now}, ${day}, 1)
    on conflict (email) do update set
      language = excluded.language, subscribed_at = excluded.subscribed_at, unsubscribed_at = null, welcomed_on = excluded.welcomed_on,
      welcomes = case when s.welcomed_on = excluded.welcomed_on then least(s.welcomes, ${MAX_WELCOMES}) + 1 else 1 end
    where s.unsubscribed_at is not null
    returning id, welcomes`.execute(tx);
  const [subscriber] = rows;
  if (!subscriber || subscriber.welcomes > MAX_WELCOMES) return;
  const { id, welcomes } = subscriber;
  await jobs.enqueue(tx, 'send-email', {
    message_id: `newsletter-welcome.${id}.${day}.${welcomes}`,
    template: 'newsletter-welcome',
    subscriber_id: id,
    data: {},
  });
}

/** Takes a subscriber off the list; nothing happens to one who has left it, or who is not known. */
export async function unsubscribeFromNewsletter(tx: Tx, id: string, now: Date): Promise<void> {
  await tx
    .updateTable('newsletter_subscribers')
    .set({ unsubscribed_at: now })
    .where('id', '=', id)
    .where('unsubscribed_at', 'is', null)
    .execute();
}

/** How many are on the list now. */
export async function countSubscribers(db: Database): Promise<number> {
  const { count } = await db
    .selectFrom('newsletter_subscribers')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('unsubscribed_at', 'is', null)
    .executeTakeFirstOrThrow();
  return count;
}
