import type { Pool } from 'pg';
import type { JobWithMetadata } from 'pg-boss';

/** What pg-boss writes on a job whose worker fell silent. */
const silences = new Set(['job timed out', 'job heartbeat timeout']);

/**
 * Of the jobs of a batch those to work now: all of them, unless the process of an earlier try died. Which of its jobs killed
 * it is not known, so each of them is then worked alone: the others go back into the queue, with a try more, so that a job
 * that kills every process it meets takes no other with it.
 */
export async function isolateSuspect<T>(pool: Pool, jobs: JobWithMetadata<T>[]): Promise<JobWithMetadata<T>[]> {
  const suspect = jobs.find(diedBefore);
  if (!suspect || jobs.length === 1) return jobs;
  const others = jobs.filter((job) => job !== suspect).map(({ id }) => id);
  // A try more also counts as another claim: what this worker says of these jobs afterwards is ignored.
  await pool.query(
    `update pgboss.job set state = 'retry', retry_limit = retry_limit + 1, start_after = pgboss.job_now()
     where name = $1 and id = any($2::uuid[]) and state = 'active'`,
    [suspect.name, others],
  );
  return [suspect];
}

function diedBefore({ retryCount, output }: JobWithMetadata<unknown>): boolean {
  const { value } = (output ?? {}) as { value?: { message?: unknown } };
  return retryCount > 0 && silences.has(String(value?.message));
}
