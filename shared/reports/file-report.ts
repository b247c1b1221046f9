import { sql } from 'kysely';
import { addMilliseconds, type Clock } from '../kit/clock.ts';
import { conflict, notFound } from '../kit/errors.ts';
import { newId } from '../kit/ids.ts';
import { hideListing } from '../listings/hide.ts';
import type { EventListing } from '../listings/listing-event.ts';
import { findOpenReports } from '../notices/decisions.ts';
import { issueNotice } from '../notices/notices.ts';
import { subjectColumns, type ReportReason, type Subject } from '../notices/subject.ts';
import type { Profile } from '../profiles/profile.ts';
import type { Jobs, Tx } from '../queues/jobs.ts';
import { mostFrequent } from './reasons.ts';

type Services = { jobs: Pick<Jobs, 'enqueue' | 'enqueueAll'>; clock: Clock; profile: Pick<Profile, 'reportRule'> };
type Report = { reporterId: string; reason: ReportReason; text?: string | undefined };

/** A report as it was stored. */
export type StoredReport = { id: string; reason: ReportReason; created_at: Date };

/**
 * Stores a report of a locked listing. It waits for moderation, but for the one that brings the open reports of the accounts that
 * are old enough to the number of the profile's rule: that hides the listing, and its owner is told the reasons.
 */
export async function reportLockedListing(
  tx: Tx,
  services: Services,
  listing: EventListing,
  report: Report,
): Promise<StoredReport & { listingStatus: string }> {
  const subject: Subject = { type: 'listing', id: listing.id };
  const stored = await storeReport(tx, services, subject, report);
  const isOnOffer = listing.status === 'active' || listing.status === 'paused';
  if (!isOnOffer || !(await isHidingDue(tx, services, listing))) return { ...stored, listingStatus: listing.status };
  const { status } = await hideListing(tx, services, listing);
  const reports = await findOpenReports(tx, subject);
  await issueNotice(tx, services, {
    userId: listing.seller_id,
    subject,
    title: listing.title,
    restriction: 'listing_hidden',
    ground: 'terms',
    rule: mostFrequent(reports),
    facts: null,
    explanation: null,
    reports: reports.length,
    automated: true,
  });
  return { ...stored, listingStatus: status };
}

/**
 * Stores a report of a person, a review, or a message of a conversation that the reporter is in. 404 for what they cannot see, 409
 * for what is their own.
 */
export async function fileReport(
  tx: Tx,
  services: Pick<Services, 'clock'>,
  subject: Subject,
  report: Report,
): Promise<StoredReport> {
  const { owner } = (await findVisible(tx, subject, report.reporterId)) ?? {};
  if (owner === undefined) throw notFound(subject.type, subject.id);
  if (owner === report.reporterId) throw conflict('Nobody can report what is their own.', { reason: 'own_thing' });
  return storeReport(tx, services, subject, report);
}

/** The unique index lets each person report a thing once, however many of their requests arrive at once: 409 for the second. */
async function storeReport(
  tx: Tx,
  { clock }: Pick<Services, 'clock'>,
  subject: Subject,
  { reporterId, reason, text }: Report,
): Promise<StoredReport> {
  const created_at = clock.now();
  const stored = await tx
    .insertInto('flags')
    .values({
      id: newId('flag'),
      [subjectColumns[subject.type]]: subject.id,
      reporter_id: reporterId,
      reason,
      description: text ?? null,
      created_at,
    })
    .onConflict((conflicting) => conflicting.doNothing())
    .returning('id')
    .executeTakeFirst();
  if (!stored) throw conflict(`You have reported this ${subject.type} already.`, { reason: 'already_reported' });
  return { id: stored.id, reason, created_at };
}

async function isHidingDue(tx: Tx, { clock, profile }: Services, listing: EventListing): Promise<boolean> {
  const { hidesFrom, minAccountAgeSeconds } = profile.reportRule;
  const bornBy = addMilliseconds(clock.now(), -minAccountAgeSeconds * 1_000);
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from flags f join users u on u.id = f.reporter_id
    where f.listing_id = ${listing.id} and not f.settled and u.created_at <= ${bornBy} and u.disabled_at is null
      and u.id <> ${listing.seller_id}`.execute(tx);
  return (rows[0]?.count ?? 0) >= hidesFrom;
}

/** Whose the thing is; undefined where this person does not see it. */
async function findVisible(tx: Tx, { type, id }: Subject, userId: string): Promise<{ owner: string } | undefined> {
  if (type === 'user')
    return tx
      .selectFrom('users')
      .select('id as owner')
      .where('id', '=', id)
      .where('disabled_at', 'is', null)
      .executeTakeFirst();
  if (type === 'review')
    return tx
      .selectFrom('reviews')
      .select('reviewer_id as owner')
      .where('id', '=', id)
      .where('removed_at', 'is', null)
      .executeTakeFirst();
  return tx
    .selectFrom('messages as m')
    .innerJoin('conversations as c', 'c.id', 'm.conversation_id')
    .select('m.sender_id as owner')
    .where('m.id', '=', id)
    .where('m.removed_at', 'is', null)
    .where((is) => is.or([is('c.buyer_id', '=', userId), is('c.seller_id', '=', userId)]))
    .executeTakeFirst();
}
