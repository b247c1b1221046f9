import { sql } from 'kysely';
import { z } from 'zod';
import { inTransaction, type Database } from '../../db/client.ts';
import { addMilliseconds, MINUTE_MS, type Clock } from '../kit/clock.ts';
import type { Jobs, Tx } from '../queues/jobs.ts';
import { startRun } from '../runs/control.ts';
import { longRun } from '../runs/long-run.ts';
import { eraseStages } from './erase-stages.ts';
import type { EraseServices } from './erase-step.ts';

const noCounts = { erased: 0 };

/** Queues the erasure of what an account that has left leaves behind. */
export async function startErasure(tx: Tx, jobs: Pick<Jobs, 'enqueue'>, userId: string, now: Date): Promise<void> {
  await startRun(
    tx,
    jobs,
    { kind: 'erase', subject: userId, trigger: 'manual', startedBy: null, counters: noCounts },
    now,
  );
}

/**
 * Erases what an account that has left leaves behind, stage after stage and some rows at a time. Every step may be repeated, so
 * that a process killed at any moment is taken over by the next. At its end the first sweep mails a goodbye, the second forgets
 * what told it the data of the account.
 */
export const workErasure = longRun({
  kind: 'erase',
  cursor: z.object({ stage: z.number().int(), after: z.string() }).optional(),
  params: z.unknown(),
  counters: noCounts,
  perJob: { ms: 20 * MINUTE_MS },
  async step(services: EraseServices, run) {
    const userId = run.subject;
    const { stage: index, after } = run.cursor ?? { stage: 0, after: '' };
    const stage = eraseStages[index];
    if (!stage) {
      await run.advance(async (tx, now) => {
        await endSweep(tx, services, userId, now);
        return { end: 'succeeded' };
      });
      return;
    }
    await stage.before?.(services, userId);
    await run.advance(async (tx, now) => {
      const { erased, next } = await stage.erase({ tx, services, userId, after, now });
      const cursor = next === undefined ? { stage: index + 1, after: '' } : { stage: index, after: next };
      return { cursor, count: { erased } };
    });
  },
});

async function endSweep(tx: Tx, { jobs }: Pick<EraseServices, 'jobs'>, userId: string, now: Date): Promise<void> {
  const leaving = await tx
    .updateTable('account_leavings')
    .set((build) => ({ sweeps: build('sweeps', '+', 1) }))
    .where('user_id', '=', userId)
    .returning(['sweeps', 'email'])
    .executeTakeFirst();
  if (!leaving) return;
  if (leaving.sweeps > 1) await tx.deleteFrom('account_leaving_traces').where('user_id', '=', userId).execute();
  else
    await jobs.enqueue(tx, 'send-email', {
      message_id: `account-left.${userId}.${now.getTime()}`,
      template: 'account-left',
      leaving_id: userId,
      data: {},
    });
}

/** How long after leaving requests and jobs that had begun before have ended. */
const SETTLED_MS = 5 * MINUTE_MS;
/** An erasure that has failed is tried again after so long. */
const RETRY_MS = 10 * MINUTE_MS;

/** Starts the erasures that are to be gone on with: those that have ended before their end, and each once more when all is settled. */
export async function resumeErasures({
  db,
  jobs,
  clock,
}: {
  db: Database;
  jobs: Pick<Jobs, 'enqueue'>;
  clock: Clock;
}): Promise<number> {
  const now = clock.now();
  return inTransaction(db, async (tx) => {
    const { rows } = await sql<{ user_id: string }>`
      select l.user_id from account_leavings l
      where (l.sweeps = 0 or (l.sweeps = 1 and l.left_at < ${addMilliseconds(now, -SETTLED_MS)}))
        and not exists (
          select from runs r where r.kind = 'erase' and r.subject = l.user_id
            and (r.status in ('queued', 'running') or (r.status <> 'succeeded' and r.finished_at > ${addMilliseconds(now, -RETRY_MS)})))
      order by l.left_at limit 100 for update of l skip locked`.execute(tx);
    for (const { user_id: userId } of rows) await startErasure(tx, jobs, userId, now);
    return rows.length;
  });
}
