import { sql } from 'kysely';
import { conflict, notFound } from '../kit/errors.ts';
import { isId } from '../kit/ids.ts';
import { isUniqueViolation } from '../kit/postgres-errors.ts';
import type { Clock } from '../kit/clock.ts';
import type { Jobs, Tx } from '../queues/jobs.ts';
import { findOpenReports, recordDecision } from '../notices/decisions.ts';
import { liftNotices, storeNotice, type Reasons } from '../notices/notices.ts';
import type { Subject } from '../notices/subject.ts';
import { changeListing, lockListing } from './change.ts';
import { eventColumns, type EventListing } from './listing-event.ts';

type Services = { jobs: Pick<Jobs, 'enqueue' | 'enqueueAll'>; clock: Clock };

/**
 * Deletes a listing softly, whatever its status and the profile, keeps the reason with it for administrators, and mails it to the owner
 * when one is given. 404 for an unknown or deleted one.
 */
export async function takeDownListing(
  tx: Tx,
  services: Services,
  idOrSlug: string,
  reason?: string,
): Promise<EventListing> {
  return removeSoftly(tx, services, await lockListing(tx, idOrSlug), {
    reason,
    messageId: ({ id }) => `listing-removed.${id}.${services.clock.now().getTime()}`,
    tells: reason !== undefined,
  });
}

type Removal = {
  reason: string | undefined;
  messageId: (listing: EventListing) => string;
  tells: boolean;
  /** As moderation has put them; else the reason is all that is told. */
  reasons?: Reasons;
};

/**
 * Deletes a locked listing softly, with the reason as its moderation: that settles the reports of it, and the owner, where they
 * are told, is mailed a statement of reasons.
 */
export async function removeSoftly(
  tx: Tx,
  services: Services,
  listing: EventListing,
  { reason, messageId, tells, reasons: stated }: Removal,
): Promise<EventListing> {
  const { jobs, clock } = services;
  const now = clock.now();
  const subject: Subject = { type: 'listing', id: listing.id };
  const reports = await findOpenReports(tx, subject);
  const reasons = [{ code: 'rejected', message: reason ?? 'An administrator has rejected the listing.' }];
  const removed = await changeListing(tx, { jobs, clock: { now: () => now } }, listing, {
    event: 'listing.deleted',
    set: { status: 'deleted', deleted_at: now, moderation: JSON.stringify({ verdict: 'reject', reasons }) },
  });
  await recordDecision(tx, services, subject, { action: 'remove' });
  await liftNotices(tx, listing.id, now, ['listing_hidden']);
  if (!tells) return removed;
  const notice = await storeNotice(tx, clock, {
    ...(stated ?? { ground: 'terms', rule: 'other', facts: reason ?? null, explanation: null }),
    userId: listing.seller_id,
    subject,
    title: listing.title,
    restriction: 'listing_removed',
    reports: reports.length,
  });
  await jobs.enqueue(tx, 'send-email', {
    message_id: messageId(listing),
    template: 'listing-rejected',
    user_id: listing.seller_id,
    data: { title: listing.title, ...(reason !== undefined && { reason }), notice_id: notice },
  });
  return removed;
}

/**
 * Brings a deleted listing back into the status that it had, as the journal tells, else as a draft. 409 unless it is deleted, when it
 * was merged into another one, and when its seller offers the same text again by now.
 */
export async function bringBackListing(tx: Tx, services: Services, idOrSlug: string): Promise<EventListing> {
  const listing = await tx
    .selectFrom('listings')
    .select([...eventColumns, 'merged_into'])
    .where(isId('listing', idOrSlug) ? 'id' : 'slug', '=', idOrSlug)
    .forUpdate()
    .executeTakeFirst();
  if (!listing) throw notFound('listing', idOrSlug);
  const { merged_into: target, ...deleted } = listing;
  if (deleted.status !== 'deleted')
    throw conflict(`Only a deleted listing can be restored; this one is ${deleted.status}.`);
  if (target !== null) throw conflict(`The listing was merged into ${target}: take their group apart instead.`);
  const set = { status: await statusBefore(tx, deleted.id), deleted_at: null, moderation: null };
  try {
    await liftNotices(tx, deleted.id, services.clock.now(), ['listing_removed']);
    return await changeListing(tx, services, deleted, { event: 'listing.updated', set });
  } catch (error) {
    if (isUniqueViolation(error, 'listings_one_per_content'))
      throw conflict('The seller offers the same text again by now.');
    throw error;
  }
}

async function statusBefore(tx: Tx, id: string): Promise<string> {
  const { rows } = await sql<{ status: string | null }>`
    select previous ->> 'status' as status from events
    where subject = ${id} and type = 'listing.deleted' order by seq desc limit 1`.execute(tx);
  return rows[0]?.status ?? 'draft';
}
