import type { Database } from '../../db/client.ts';
import type { createPrivateStorage } from '../adapters/create-storage.ts';
import type { Mailer } from '../adapters/mail.ts';
import type { Clock } from '../kit/clock.ts';
import type { Jobs, Tx } from '../queues/jobs.ts';

export type EraseServices = {
  db: Database;
  jobs: Pick<Jobs, 'enqueue' | 'enqueueAll'>;
  clock: Clock;
  mailer: Mailer;
  config: Parameters<typeof createPrivateStorage>[0];
};

/** One step of a stage, in the transaction that also notes how far the erasure is. */
export type EraseStep = { tx: Tx; services: EraseServices; userId: string; after: string; now: Date };
/** How much was erased, and from where on the next step of the stage goes on; undefined when there is nothing left. */
export type Erased = { erased: number; next?: string | undefined };
