import { z } from 'zod';

/** One entry per queue: what is sent, who works it, how it is repeated and how long it may take. */
export type Queue = {
  /** One sentence on what a job does. */
  does: string;
  payload: z.ZodType;
  /** Which process works it. */
  worker: 'workers' | 'scrapers';
  /** `short` keeps one job waiting per key, more may be active: the handler re-reads the row and converges. */
  policy: 'standard' | 'short';
  retryLimit: number;
  retryDelaySeconds: number;
  retryDelayMaxSeconds: number;
  /** A worker that stops beating is noticed within about 12 s; every queue whose job may last over 10 s has one. */
  heartbeatSeconds?: number;
  expireInSeconds: number;
  /** Wakes a worker at once; off for bulk queues, whose notifications would serialise commits. */
  notify: boolean;
  /** Jobs taken at once by one worker, and worked side by side. */
  batchSize: number;
  /** Workers of one process side by side (1 when absent): a slow job holds up only the batch it came with. */
  concurrency?: number;
  /** How long finished jobs stay to be looked at. */
  keepSeconds: number;
  /** Cron expression in UTC; a run missed while nothing was up is made up for once. */
  schedule?: string;
};

/** Jobs that work a run from where it stands to its end: it counts by itself how often it was tried without getting on, as workers may die or be replaced meanwhile. */
export const runQueue = {
  payload: z.object({ run_id: z.string() }),
  worker: 'workers',
  policy: 'standard',
  retryLimit: 100,
  retryDelaySeconds: 2,
  retryDelayMaxSeconds: 60,
  heartbeatSeconds: 15,
  expireInSeconds: 3_600,
  notify: true,
  batchSize: 1,
  keepSeconds: 7 * 86_400,
} as const satisfies Partial<Queue>;
