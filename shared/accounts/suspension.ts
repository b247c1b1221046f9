import type { Database } from '../../db/client.ts';
import { sqlState } from '../../db/client.ts';
import type { Clock } from '../kit/clock.ts';
import { conflict, notFound, ServiceError } from '../kit/errors.ts';
import { newId } from '../kit/ids.ts';
import type { Jobs, Tx } from '../queues/jobs.ts';
import { findOpenReports, recordDecision } from '../notices/decisions.ts';
import { liftNotices, storeNotice, type Reasons } from '../notices/notices.ts';
import type { Subject } from '../notices/subject.ts';
import { recordProfileChange } from './profile-changed.ts';
import { revokeAccess, type RevokedAccess } from './revoke-access.ts';
import { closeSessions } from './sessions.ts';
import { alignPublications } from './suspended-publications.ts';

type Dependencies = { jobs: Pick<Jobs, 'enqueue' | 'enqueueAll'>; clock: Clock };
export type Suspension = { id: string; reason: string; suspended_at: Date; until: Date | null };

type NewSuspension = {
  reason: string;
  until: Date | null;
  by: string;
  /** The reasons in the form of a notice, and how many reports led to it; else the reason is all there is. */
  reasons?: Reasons;
  reports?: number;
};

/** The error of the trigger that keeps an administrator. */
const LAST_ADMINISTRATOR = 'QS002';

/**
 * Suspends an account: from the commit on no session, key, webhook or link of it is good for anything, on every process. Keys are
 * revoked and webhooks paused for good; what is on show is hidden, the first of it in this transaction and the rest by a job;
 * its owner is mailed the reason. 409 for one that is suspended, and for the last administrator.
 */
export async function suspendUser(
  tx: Tx,
  services: Dependencies,
  userId: string,
  { reason, until, by, reasons, reports }: NewSuspension,
): Promise<RevokedAccess> {
  const now = services.clock.now();
  const user = await lockUser(tx, userId);
  if (user.disabled_at) throw conflict('This account is suspended already.');
  const id = newId('suspension');
  await keepingAnAdministrator(() =>
    tx
      .updateTable('users')
      .set((build) => ({ disabled_at: now, session_epoch: build('session_epoch', '+', 1), updated_at: now }))
      .where('id', '=', userId)
      .execute(),
  );
  await tx
    .insertInto('suspensions')
    .values({ id, user_id: userId, reason, until, suspended_by: by, suspended_at: now })
    .execute();
  await closeSessions(tx, userId, now);
  const ended = await revokeAccess(tx, userId, now);
  const subject: Subject = { type: 'user', id: userId };
  const open = await findOpenReports(tx, subject);
  await recordDecision(tx, services, subject, { action: 'suspend' });
  await storeNotice(tx, services.clock, {
    ...(reasons ?? { ground: 'terms', rule: 'other', facts: reason, explanation: null }),
    userId,
    subject,
    title: null,
    restriction: 'account_suspended',
    until,
    reports: reports ?? open.length,
  });
  await align(tx, services, userId, now);
  await mailSuspension(tx, services, { id, userId });
  return ended;
}

/**
 * Ends the suspension of an account, which its owner is mailed; what was hidden and has not expired is on show again. 409 for one
 * that is not suspended.
 */
export async function unsuspendUser(tx: Tx, services: Dependencies, userId: string, by: string | null): Promise<void> {
  const now = services.clock.now();
  await lockUser(tx, userId);
  const ended = await tx
    .updateTable('suspensions')
    .set({ ended_at: now, ended_by: by })
    .where('user_id', '=', userId)
    .where('ended_at', 'is', null)
    .returning('id')
    .executeTakeFirst();
  if (!ended) throw conflict('This account is not suspended.');
  await liftNotices(tx, userId, now, ['account_suspended']);
  await tx.updateTable('users').set({ disabled_at: null, updated_at: now }).where('id', '=', userId).execute();
  await align(tx, services, userId, now);
  await services.jobs.enqueue(tx, 'send-email', {
    message_id: `account-restored.${ended.id}`,
    template: 'account-restored',
    user_id: userId,
    data: { suspension_id: ended.id },
  });
}

/** Ends a suspension whose time is over, if it is still open: one that was ended or replaced meanwhile stays as it is. */
export async function endDueSuspension(tx: Tx, services: Dependencies, id: string): Promise<boolean> {
  const due = await tx
    .selectFrom('suspensions')
    .select('user_id')
    .where('id', '=', id)
    .where('ended_at', 'is', null)
    .where('until', '<=', services.clock.now())
    .executeTakeFirst();
  if (!due) return false;
  await unsuspendUser(tx, services, due.user_id, null);
  return true;
}

/** The suspension that an account is under; undefined when it is under none. */
export function findSuspension(db: Database, userId: string): Promise<Suspension | undefined> {
  return db
    .selectFrom('suspensions')
    .select(['id', 'reason', 'suspended_at', 'until'])
    .where('user_id', '=', userId)
    .where('ended_at', 'is', null)
    .executeTakeFirst();
}

/** Queues the mail that tells of a suspension; the same occasion is told of once. */
export async function mailSuspension(
  tx: Tx,
  { jobs }: { jobs: Pick<Jobs, 'enqueue'> },
  { id, userId, occasion }: { id: string; userId: string; occasion?: string },
): Promise<void> {
  await jobs.enqueue(tx, 'send-email', {
    message_id: ['account-suspended', id, ...(occasion === undefined ? [] : [occasion])].join('.'),
    template: 'account-suspended',
    user_id: userId,
    data: { suspension_id: id },
  });
}

/** Locks an account until the transaction ends, also against publications that are under way. 404 for one that is unknown or has left. */
export async function lockUser(tx: Tx, userId: string) {
  const user = await tx
    .selectFrom('users')
    .select(['id', 'email', 'role', 'verified', 'disabled_at'])
    .where('id', '=', userId)
    .where('left_at', 'is', null)
    .forUpdate()
    .executeTakeFirst();
  if (!user) throw notFound('user', userId);
  return user;
}

/** Turns what the database says when the last administrator would go into a 409. */
export async function keepingAnAdministrator<T>(change: () => Promise<T>): Promise<T> {
  try {
    return await change();
  } catch (error) {
    if (sqlState(error) !== LAST_ADMINISTRATOR) throw error;
    throw new ServiceError('conflict', 'This is the last administrator who can sign in.', { cause: error });
  }
}

async function align(tx: Tx, services: Dependencies, userId: string, now: Date): Promise<void> {
  await alignPublications(tx, services, userId, { skipLocked: true });
  await services.jobs.enqueue(tx, 'align-publications', { user_id: userId });
  await recordProfileChange(tx, userId, now);
}
