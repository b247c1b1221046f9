import { sql } from 'kysely';
import type { Erased, EraseStep } from './erase-step.ts';

/**
 * Erases what was sent with the acts of administrators and moderators upon the account and what it owns, and their notes about it; who
 * did what to what, and when, stays. It goes before the listings and appeals, which tell what the account owns.
 */
export async function eraseAuditData({ tx, userId }: Pick<EraseStep, 'tx' | 'userId'>): Promise<Erased> {
  const owned = sql`
    select ${userId} union all select id from listings where seller_id = ${userId}
    union all select id from rentals where owner_id = ${userId}
    union all select id from reviews where reviewer_id = ${userId} or seller_id = ${userId}
    union all select id from messages where sender_id = ${userId}
    union all select id from appeals where user_id = ${userId}
    union all select id from suspensions where user_id = ${userId}`;
  await sql`update moderation_decisions set note = null where note is not null and subject_id in (${owned})`.execute(
    tx,
  );
  const { numAffectedRows = 0n } = await sql`
    update audit_entries set data = '{"erased": true}'
    where data <> '{"erased": true}' and subject in (${owned})`.execute(tx);
  return { erased: Number(numAffectedRows) };
}
