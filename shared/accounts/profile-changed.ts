import { recordEvents } from '../journal/events.ts';
import type { Tx } from '../queues/jobs.ts';

/** Tells every API process that the name or the proof of a user has changed: kept answers that show their listings are dropped. */
export async function recordProfileChange(tx: Tx, userId: string, now: Date): Promise<void> {
  await recordEvents(tx, now, [{ type: 'user.changed', subject: userId, ownerId: null, data: {} }]);
}
