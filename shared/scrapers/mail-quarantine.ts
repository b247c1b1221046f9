import type { Jobs, Tx } from '../queues/jobs.ts';
import type { Oddity } from './oddity.ts';

/** Tells every administrator by mail that a run is in quarantine, and what is odd. */
export async function mailQuarantine(
  tx: Tx,
  jobs: Pick<Jobs, 'enqueueAll'>,
  runId: string,
  oddities: readonly Oddity[],
): Promise<void> {
  const admins = await tx
    .selectFrom('users')
    .select('id')
    .where('role', '=', 'admin')
    .where('disabled_at', 'is', null)
    .execute();
  const template = 'scraper-quarantined';
  const mails = admins.map(({ id }) => ({
    payload: {
      message_id: `${template}.${runId}.${id}`,
      template,
      user_id: id,
      data: { run_id: runId, oddities: [...oddities] },
    },
  }));
  await jobs.enqueueAll(tx, 'send-email', mails);
}
