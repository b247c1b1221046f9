import { conflict, invalid, notFound } from '../kit/errors.ts';
import { suspendUser } from '../accounts/suspension.ts';
import type { Clock } from '../kit/clock.ts';
import { hideListing, unhideListing } from '../listings/hide.ts';
import { removeSoftly } from '../listings/take-down.ts';
import { findOpenReports, recordDecision, type DecisionAction } from '../notices/decisions.ts';
import { issueNotice, liftNotices, type Ground, type Reasons, type Restriction } from '../notices/notices.ts';
import type { ReportReason, Subject, SubjectType } from '../notices/subject.ts';
import type { Jobs, Tx } from '../queues/jobs.ts';
import { mostFrequent } from './reasons.ts';
import { setMessageRemoved, setReviewRemoved } from './removal.ts';
import { lockTarget, type Target } from './target.ts';

type Services = { jobs: Pick<Jobs, 'enqueue' | 'enqueueAll'>; clock: Clock };

/** What a moderator decides, with the reasons that the person is told. */
export type ReportDecision = {
  action: DecisionAction;
  by: string;
  ground?: Ground | undefined;
  rule?: ReportReason | undefined;
  facts?: string | undefined;
  explanation?: string | undefined;
  until?: Date | null;
  note?: string | undefined;
};

const possible: Record<SubjectType, readonly DecisionAction[]> = {
  listing: ['dismiss', 'hide', 'remove', 'warn', 'suspend', 'propose_suspension'],
  user: ['dismiss', 'warn', 'suspend', 'propose_suspension'],
  review: ['dismiss', 'remove', 'warn', 'suspend', 'propose_suspension'],
  message: ['dismiss', 'remove', 'warn', 'suspend', 'propose_suspension'],
};
const restricting = new Set<DecisionAction>(['hide', 'remove', 'warn', 'suspend']);

/**
 * Decides about the open reports of a thing, once: what is restricted, its statement of reasons, the mails to its owner and to the
 * reporters, and the event are one transaction. 404 for a thing that is not there, 400 for an action that it does not know or
 * lacks its facts, 409 when no report is open, and when it is gone already.
 */
export async function decideReports(
  tx: Tx,
  services: Services,
  subject: Subject,
  decision: ReportDecision,
): Promise<Target> {
  const { action } = decision;
  if (!possible[subject.type].includes(action))
    throw invalid('This cannot be decided about it.', [
      { path: '/body/action', message: `must be one of ${possible[subject.type].join(', ')} for a ${subject.type}` },
    ]);
  if (restricting.has(action) && !decision.facts?.trim())
    throw invalid('Whoever is restricted has to be told why.', [
      { path: '/body/facts', message: `is needed to ${action}` },
    ]);
  const target = await lockTarget(tx, subject);
  if (!target) throw notFound(subject.type, subject.id);
  const reports = await findOpenReports(tx, subject);
  if (reports.length === 0) throw conflict('No report of it is open: somebody has decided already.');
  if (target.isGone && (action === 'hide' || action === 'remove'))
    throw conflict(`This ${subject.type} is gone already.`);
  const stated = {
    reasons: {
      ground: decision.ground ?? 'terms',
      rule: decision.rule ?? mostFrequent(reports),
      facts: decision.facts?.trim() ?? null,
      explanation: decision.explanation?.trim() || null,
    } satisfies Reasons,
    reports: reports.length,
  };
  await carryOut(tx, services, target, decision, stated);
  return target;
}

type Stated = { reasons: Reasons; reports: number };

async function carryOut(
  tx: Tx,
  services: Services,
  target: Target,
  decision: ReportDecision,
  stated: Stated,
): Promise<void> {
  const { subject, listing } = target;
  const { action, note } = decision;
  const record = () => recordDecision(tx, services, subject, { action, note: note ?? null });
  const now = services.clock.now();
  switch (action) {
    case 'dismiss':
      if (listing) await unhideListing(tx, services, listing);
      await liftNotices(tx, subject.id, now, ['listing_hidden']);
      return void (await record());
    case 'hide':
      await hideListing(tx, services, listing!);
      await liftNotices(tx, subject.id, now, ['listing_hidden']);
      await record();
      return notify(tx, services, target, 'listing_hidden', stated);
    case 'remove':
      return remove(tx, services, target, { record, stated });
    case 'warn':
      await record();
      return notify(tx, services, target, 'warning', stated);
    case 'suspend':
      if (subject.type !== 'user') await record();
      await suspendUser(tx, services, target.ownerId, {
        reason: stated.reasons.facts!,
        until: decision.until ?? null,
        by: decision.by,
        reasons: stated.reasons,
        reports: stated.reports,
      });
      return undefined;
    case 'propose_suspension':
      return void (await record());
  }
}

async function remove(
  tx: Tx,
  services: Services,
  target: Target,
  { record, stated }: { record: () => Promise<string>; stated: Stated },
): Promise<void> {
  const { subject, listing } = target;
  const now = services.clock.now();
  if (listing) {
    await removeSoftly(tx, services, listing, {
      reason: stated.reasons.facts!,
      messageId: ({ id }) => `listing-removed.${id}.${now.getTime()}`,
      tells: true,
      reasons: stated.reasons,
    });
    return;
  }
  if (subject.type === 'review') await setReviewRemoved(tx, subject.id, now, now);
  else await setMessageRemoved(tx, subject.id, now);
  await record();
  await notify(tx, services, target, subject.type === 'review' ? 'review_removed' : 'message_removed', stated);
}

const notify = async (
  tx: Tx,
  services: Services,
  { subject, ownerId, title }: Target,
  restriction: Restriction,
  { reasons, reports }: Stated,
): Promise<void> =>
  void (await issueNotice(tx, services, { ...reasons, userId: ownerId, subject, title, restriction, reports }));
