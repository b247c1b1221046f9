import type { JobWithMetadata } from 'pg-boss';
import type { Database } from '../../db/client.ts';
import { putBackJobs } from './inspect.ts';

/** What pg-boss writes on a job whose worker fell silent. */
const silences = new Set(['job timed out', 'job heartbeat timeout']);

/**
 * Of the jobs of a batch those to work now: all of them, unless the process of an earlier try died. Which of its jobs killed
 * it is not known, so each of them is then worked alone: the others go back into the queue, with a try more, so that a job
 * that kills every process it meets takes no other with it.
 */
export async function isolateSuspect<T>(db: Database, jobs: JobWithMetadata<T>[]): Promise<JobWithMetadata<T>[]> {
  const suspect = jobs.find(diedBefore);
  if (!suspect || jobs.length === 1) return jobs;
  const others = jobs.filter((job) => job !== suspect).map(({ id, retryCount }) => ({ id, attempt: retryCount }));
  await putBackJobs(db, suspect.name, others);
  return [suspect];
}

function diedBefore({ retryCount, output }: JobWithMetadata<unknown>): boolean {
  const { value } = (output ?? {}) as { value?: { message?: unknown } };
  return retryCount > 0 && silences.has(String(value?.message));
}
