import { sql } from 'kysely';
import { addMilliseconds, DAY_MS, HOUR_MS } from '../kit/clock.ts';
import type { Jobs, Tx } from '../queues/jobs.ts';

export type Notify = 'instant' | 'daily' | 'weekly' | 'off';

const DIGEST_HOUR_MS = 7 * HOUR_MS;
const MONDAY = 1;

/** Debounce of instant mails: what is found meanwhile goes along. */
const INSTANT_MS = 10_000;
/** Instant mails are batched at full five seconds. */
const TOGETHER_MS = 5_000;

/** The time of the next digest: in ten to fifteen seconds, or at 7:00 UTC of the next day or Monday. */
export function nextDigestAt(notify: Exclude<Notify, 'off'>, now: Date): Date {
  if (notify === 'instant') return new Date(Math.ceil((now.getTime() + INSTANT_MS) / TOGETHER_MS) * TOGETHER_MS);
  const today = addMilliseconds(new Date(now.getTime() - (now.getTime() % DAY_MS)), DIGEST_HOUR_MS);
  const next = now < today ? today : addMilliseconds(today, DAY_MS);
  if (notify === 'daily') return next;
  return addMilliseconds(next, ((7 + MONDAY - next.getUTCDay()) % 7) * DAY_MS);
}

/**
 * Queues the digests of searches that are due, each match once, and answers how many searches there were. Concurrent
 * callers take different searches (`skip locked`).
 */
export async function sendDigests(
  tx: Tx,
  { jobs }: { jobs: Pick<Jobs, 'enqueueAll'> },
  now: Date,
  limit: number,
): Promise<number> {
  const due = await tx
    .selectFrom('saved_searches')
    .select(['id', 'user_id'])
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute();
  if (due.length === 0) return 0;
  const ids = sql<string>`any(${due.map(({ id }) => id)}::text[])`;
  const told = await tx
    .updateTable('saved_search_matches')
    .set({ notified_at: now })
    .where('saved_search_id', '=', ids)
    .where('notified_at', 'is', null)
    .returning('saved_search_id')
    .execute();
  await tx.updateTable('saved_searches').set({ due_at: null, last_notified_at: now }).where('id', '=', ids).execute();
  const withNews = new Set(told.map(({ saved_search_id: id }) => id));
  const mails = due
    .filter(({ id }) => withNews.has(id))
    .map(({ id, user_id }) => ({ payload: mailOf(id, user_id, now) }));
  await jobs.enqueueAll(tx, 'send-email', mails);
  return due.length;
}

/** The listings of a mail are the matches that were notified at its time. */
const mailOf = (id: string, user_id: string, now: Date) => ({
  message_id: `saved-search-matches.${id}.${now.getTime()}`,
  template: 'saved-search-matches',
  user_id,
  data: { saved_search_id: id, notified_at: now.toISOString() },
});

/** Discards matches that were not told yet. */
export async function discardPendingNews(tx: Tx, id: string, now: Date): Promise<void> {
  await tx
    .updateTable('saved_search_matches')
    .set({ notified_at: now })
    .where('saved_search_id', '=', id)
    .where('notified_at', 'is', null)
    .execute();
}
