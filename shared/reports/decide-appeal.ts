import { recordEvents } from '../journal/events.ts';
import type { Clock } from '../kit/clock.ts';
import { conflict, forbidden, notFound } from '../kit/errors.ts';
import { eventColumns } from '../listings/listing-event.ts';
import { unhideListing } from '../listings/hide.ts';
import { bringBackListing } from '../listings/take-down.ts';
import type { Jobs, Tx } from '../queues/jobs.ts';
import { setMessageRemoved, setReviewRemoved } from './removal.ts';

type Services = { jobs: Pick<Jobs, 'enqueue' | 'enqueueAll'>; clock: Clock };
type Verdict = { outcome: 'granted' | 'refused'; answer: string | null; by: string };
type Appealed = { subject_id: string; restriction: string };

/**
 * Decides an appeal, once, and mails whoever made it. Granted, the restriction ends: what was hidden or removed is back as it was.
 * Nobody decides about their own appeal, nor about an appeal against a decision of their own where another moderator could: 403.
 */
export async function decideAppeal(
  tx: Tx,
  services: Services,
  id: string,
  { outcome, answer, by }: Verdict,
): Promise<Appealed> {
  const now = services.clock.now();
  const appeal = await tx
    .selectFrom('appeals as a')
    .innerJoin('notices as n', 'n.id', 'a.notice_id')
    .select(['a.user_id', 'a.notice_id', 'a.outcome', 'n.decided_by', 'n.subject_id', 'n.restriction', 'n.lifted_at'])
    .where('a.id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  if (!appeal) throw notFound('appeal', id);
  if (appeal.user_id === by) throw forbidden('Nobody decides about an appeal of their own.');
  if (appeal.decided_by === by && (await hasOtherModerator(tx, [by, appeal.user_id])))
    throw forbidden('This was your decision: somebody else has to look at the appeal.');
  if (appeal.outcome !== null) throw conflict('This appeal is decided already.');
  await tx
    .updateTable('appeals')
    .set({ outcome, answer, decided_by: by, decided_at: now })
    .where('id', '=', id)
    .execute();
  if (outcome === 'granted' && appeal.lifted_at === null) {
    await tx.updateTable('notices').set({ lifted_at: now }).where('id', '=', appeal.notice_id).execute();
    await endRestriction(tx, services, appeal);
  }
  const data = { appeal_id: id, outcome };
  await recordEvents(tx, now, [{ type: 'moderation.decided', subject: appeal.subject_id, ownerId: null, data }]);
  await services.jobs.enqueue(tx, 'send-email', {
    message_id: `appeal-decided.${id}`,
    template: 'appeal-decided',
    user_id: appeal.user_id,
    data: { appeal_id: id },
  });
  return appeal;
}

/** Whether somebody else could decide: a moderator or an administrator who is not one of these. */
async function hasOtherModerator(tx: Tx, ids: string[]): Promise<boolean> {
  const other = await tx
    .selectFrom('users')
    .select('id')
    .where('role', 'in', ['moderator', 'admin'])
    .where('disabled_at', 'is', null)
    .where('id', 'not in', ids)
    .limit(1)
    .executeTakeFirst();
  return other !== undefined;
}

async function endRestriction(tx: Tx, services: Services, { restriction, subject_id: id }: Appealed): Promise<void> {
  const now = services.clock.now();
  if (restriction === 'review_removed') await setReviewRemoved(tx, id, null, now);
  if (restriction === 'message_removed') await setMessageRemoved(tx, id, null);
  if (restriction !== 'listing_hidden' && restriction !== 'listing_removed') return;
  const listing = await tx
    .selectFrom('listings')
    .select(eventColumns)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  if (!listing) return;
  const back = listing.status === 'deleted' ? await bringBackListing(tx, services, id) : listing;
  await unhideListing(tx, services, back);
}
