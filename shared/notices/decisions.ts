import { recordEvents } from '../journal/events.ts';
import { currentActor } from '../kit/actor.ts';
import type { Clock } from '../kit/clock.ts';
import { newId } from '../kit/ids.ts';
import type { Jobs, Tx } from '../queues/jobs.ts';
import { subjectColumns, type Subject } from './subject.ts';

export type DecisionAction = 'dismiss' | 'hide' | 'remove' | 'warn' | 'suspend' | 'propose_suspension';
type Services = { jobs: Pick<Jobs, 'enqueueAll'>; clock: Clock };

/**
 * Records what moderation has decided, in the name of whoever is at work, with its event. All but a proposal settle the open
 * reports of the subject: their reporters are mailed what came of them. Answers the decision's id.
 */
export async function recordDecision(
  tx: Tx,
  { jobs, clock }: Services,
  subject: Subject,
  { action, note = null }: { action: DecisionAction; note?: string | null },
): Promise<string> {
  const id = newId('decision');
  const now = clock.now();
  await tx
    .insertInto('moderation_decisions')
    .values({
      id,
      subject_type: subject.type,
      subject_id: subject.id,
      action,
      note,
      decided_by: currentActor() ?? null,
      decided_at: now,
    })
    .execute();
  const data = { decision_id: id, subject_type: subject.type, action };
  await recordEvents(tx, now, [{ type: 'moderation.decided', subject: subject.id, ownerId: null, data }]);
  if (action === 'propose_suspension') return id;
  const settled = await tx
    .updateTable('flags')
    .set({ settled: true, decision_id: id })
    .where(subjectColumns[subject.type], '=', subject.id)
    .where('settled', '=', false)
    .returning(['id', 'reporter_id'])
    .execute();
  await jobs.enqueueAll(
    tx,
    'send-email',
    settled.map(({ id: report_id, reporter_id }) => ({
      payload: {
        message_id: `report-decided.${report_id}.${id}`,
        template: 'report-decided' as const,
        user_id: reporter_id,
        data: { report_id },
      },
    })),
  );
  return id;
}

/** What open reports of a subject say, the newest first. */
export function findOpenReports(tx: Tx, subject: Subject) {
  return tx
    .selectFrom('flags')
    .select(['id', 'reporter_id', 'reason'])
    .where(subjectColumns[subject.type], '=', subject.id)
    .where('settled', '=', false)
    .orderBy('created_at', 'desc')
    .execute();
}
