import { CompiledQuery } from 'kysely';
import { addMilliseconds, DAY_MS, HOUR_MS } from '../shared/kit/clock.ts';
import type { JobHandler } from '../shared/queues/runner.ts';
import type { WorkerServices } from './services.ts';

/** Which rows have outlived their use, and how long they are kept after the time in that column. */
export const purgeRules = [
  { table: 'rate_windows', column: 'window_start', keepMs: HOUR_MS },
  { table: 'quota_uses', column: 'window_start', keepMs: 2 * DAY_MS },
  { table: 'idempotency_keys', column: 'created_at', keepMs: 2 * DAY_MS },
  { table: 'account_tokens', column: 'expires_at', keepMs: 7 * DAY_MS },
  { table: 'account_link_requests', column: 'created_at', keepMs: 7 * DAY_MS },
  { table: 'account_leavings', column: 'left_at', keepMs: 14 * DAY_MS, unless: 'sweeps < 2' },
  { table: 'oauth_codes', column: 'expires_at', keepMs: DAY_MS },
  { table: 'oauth_tokens', column: 'expires_at', keepMs: DAY_MS },
  { table: 'oauth_grants', column: 'expires_at', keepMs: 7 * DAY_MS },
  { table: 'oauth_clients', column: 'expires_at', keepMs: DAY_MS },
  { table: 'login_networks', column: 'last_login_at', keepMs: 90 * DAY_MS },
  // A device that was signed in with is known for as long as its network.
  { table: 'sessions', column: 'expires_at', keepMs: 90 * DAY_MS },
  { table: 'used_challenges', column: 'expires_at', keepMs: HOUR_MS },
  { table: 'listing_visits', column: 'hour', keepMs: 3 * HOUR_MS },
  { table: 'events', column: 'created_at', keepMs: 90 * DAY_MS },
  { table: 'webhook_deliveries', column: 'created_at', keepMs: 30 * DAY_MS, unless: `status = 'pending'` },
  { table: 'listing_reminders', column: 'expires_at', keepMs: 7 * DAY_MS },
  { table: 'recent_requests', column: 'updated_at', keepMs: DAY_MS },
  { table: 'process_metrics', column: 'updated_at', keepMs: 7 * DAY_MS },
  { table: 'search_queries', column: 'day', keepMs: 90 * DAY_MS },
  { table: 'tracked_events', column: 'created_at', keepMs: 90 * DAY_MS },
  { table: 'tracked_days', column: 'day', keepMs: 30 * DAY_MS },
  { table: 'listing_view_days', column: 'day', keepMs: 90 * DAY_MS },
  { table: 'category_view_days', column: 'day', keepMs: 400 * DAY_MS },
  { table: 'analytics_days', column: 'day', keepMs: 400 * DAY_MS },
  { table: 'newsletter_subscribers', column: 'unsubscribed_at', keepMs: 30 * DAY_MS },
  { table: 'suggestion_terms', column: 'last_day', keepMs: 30 * DAY_MS },
  { table: 'payment_events', column: 'received_at', keepMs: 90 * DAY_MS },
  { table: 'sent_emails', column: 'sent_at', keepMs: 90 * DAY_MS },
  { table: 'contact_requests', column: 'created_at', keepMs: 400 * DAY_MS },
  // While the listing can still be found, the row remembers that it need not be told again.
  {
    table: 'saved_search_matches',
    column: 'notified_at',
    keepMs: 90 * DAY_MS,
    unless: `exists (select from listings l where l.id = listing_id and l.status in ('active', 'paused'))`,
  },
  { table: 'refresh_looks', column: 'looked_at', keepMs: 2 * DAY_MS },
  { table: 'ai_drafts', column: 'created_at', keepMs: 7 * DAY_MS },
  // With what a run has read, found and changed.
  { table: 'runs', column: 'finished_at', keepMs: 400 * DAY_MS },
] as const;

const BATCH = 5_000;

/** The texts of contact requests are kept for a month; the rows without them are counted for longer. */
const CONTACT_TEXT_MS = 30 * DAY_MS;
const forgetContacts = `update contact_requests set name = null, email = null, message = null where id = any(array(
  select id from contact_requests where created_at < $1 and message is not null limit ${BATCH}))`;

/** Deletes what has outlived its use, and forgets the texts of old contact requests, a few thousand rows at a time so that no lock is held for long; stops when told to. */
export const purgeOldRows: JobHandler<WorkerServices, 'purge-old-rows'> = async (
  { db, clock },
  _payload,
  { signal },
) => {
  const now = clock.now();
  const deleted: Record<string, number> = {};
  async function repeat(name: string, text: string, before: Date) {
    for (let count = BATCH; count === BATCH;) {
      signal.throwIfAborted();
      const { numAffectedRows = 0n } = await db.executeQuery(CompiledQuery.raw(text, [before]));
      count = Number(numAffectedRows);
      deleted[name] = (deleted[name] ?? 0) + count;
    }
  }
  for (const rule of purgeRules) {
    const unless = 'unless' in rule ? `and not (${rule.unless})` : '';
    const text = `delete from ${rule.table} where ctid = any(array(
      select ctid from ${rule.table} where ${rule.column} < $1 ${unless} limit ${BATCH}))`;
    await repeat(rule.table, text, addMilliseconds(now, -rule.keepMs));
  }
  await repeat('contact_texts', forgetContacts, addMilliseconds(now, -CONTACT_TEXT_MS));
  return deleted;
};
