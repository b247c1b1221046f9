import { sql, type Kysely, type RawBuilder } from 'kysely';
import type { Pool } from 'pg';
import type { PgBoss } from 'pg-boss';
import type { DB } from '../../db/types.gen.ts';
import { deadLetterOf, queueNames, type QueueName } from './queues.ts';

// The only module that names pg-boss' tables: test/house.test.ts holds that. Its own API answers none of this: getQueueStats
// tells counts of up to a minute ago, findJobs and getJobById know one queue, and read the queue anew for every instance.

export type JobState = 'created' | 'retry' | 'active' | 'completed' | 'cancelled' | 'failed';

/** How many jobs a queue holds: waiting (retries included), active, failed for good, and dead-lettered. */
export type QueueDepth = { name: QueueName; queued: number; active: number; failed: number; dead: number };
export type QueueAge = { name: QueueName; oldest_seconds: number };

/** A job, with the percentage that the run it works has done while it is active. */
export type JobRecord = {
  id: string;
  name: string;
  progress: number | null;
  state: JobState;
  output: unknown;
  created_on: Date;
  started_on: Date | null;
  completed_on: Date | null;
  /** What it is given to do. */
  data: unknown;
  retry_count: number;
  retry_limit: number;
  /** When it may start, or start again. */
  start_after: Date;
};

const shownQueues = [...queueNames, ...queueNames.map(deadLetterOf)];

/** How many jobs each queue holds at this moment. */
export async function readQueueDepths(pool: Pool): Promise<QueueDepth[]> {
  const { rows } = await pool.query<{ name: string; queued: number; active: number; failed: number }>({
    name: 'queue-depths',
    text: `select name,
             count(*) filter (where state in ('created', 'retry'))::int as queued,
             count(*) filter (where state = 'active')::int as active,
             count(*) filter (where state = 'failed')::int as failed
           from pgboss.job where state in ('created', 'retry', 'active', 'failed') group by name`,
  });
  const found = new Map(rows.map((row) => [row.name, row]));
  return queueNames.map((name) => {
    const { queued = 0, active = 0, failed = 0 } = found.get(name) ?? {};
    return { name, queued, active, failed, dead: found.get(deadLetterOf(name))?.queued ?? 0 };
  });
}

/** What the last job of a queue that was completed has answered; undefined before the first. */
export async function readLastOutput(pool: Pool, queue: QueueName): Promise<unknown> {
  const { rows } = await pool.query<{ output: unknown }>({
    name: 'queue-last-output',
    text: `select output from pgboss.job where name = $1 and state = 'completed' order by completed_on desc limit 1`,
    values: [queue],
  });
  return rows[0]?.output;
}

/** Mails that were refused for good in the last day, those that wait after three tries or more, and what the last of either says. */
export async function readMailFailures(
  pool: Pool,
): Promise<{ refused: number; waiting: number; error: string | null }> {
  const { rows } = await pool.query<{ refused: number; waiting: number; error: string | null }>({
    name: 'mail-failures',
    text: `with troubled as (
             select state, completed_on, coalesce(output->>'error', output->>'message') as error from pgboss.job
             where name = 'send-email' and ((state = 'failed' and completed_on > now() - interval '1 day')
               or (state in ('retry', 'active') and retry_count >= 3)))
           select count(*) filter (where state = 'failed')::int as refused, count(*) filter (where state <> 'failed')::int as waiting,
             (select error from troubled order by completed_on desc nulls last limit 1) as error
           from troubled`,
  });
  return rows[0] ?? { refused: 0, waiting: 0, error: null };
}

/** For how long the oldest job of each queue has been due; queues without one are left out. */
export async function readQueueAges(pool: Pool): Promise<QueueAge[]> {
  const { rows } = await pool.query<QueueAge>({
    name: 'queue-ages',
    text: `select name, extract(epoch from now() - min(greatest(created_on, start_after)))::float8 as oldest_seconds
           from pgboss.job where state in ('created', 'retry') and start_after <= now() and name not like '%.dead' group by name`,
  });
  return rows;
}

/** The unfinished jobs of a queue (id, data, created_on), as a relation for the statements of others. */
export const unfinishedJobs = (queue: QueueName): string =>
  `(select id, data, created_on from pgboss.job where name = '${queue}' and state in ('created', 'retry', 'active'))`;

/** A job that is the work of a run is as far as the run's counter `done` of its total. */
const recordColumns = sql`id, name, state, output, created_on, started_on, completed_on, data, retry_count, retry_limit, start_after,
  case when state = 'active' then (
    select least(99, floor(100.0 * (counters->>'done')::bigint / nullif(total, 0)))::int
    from runs where job_id = job.id and status in ('queued', 'running')) end as progress`;

/** One page of the jobs of all queues or one, dead letters among them, the newest first, and how many there are. */
export async function readJobs(
  db: Kysely<DB>,
  { queue, state, page, limit }: { queue?: string; state?: JobState; page: number; limit: number },
): Promise<{ jobs: JobRecord[]; total: number }> {
  const names = queue === undefined ? shownQueues : shownQueues.filter((name) => name === queue);
  const isMeant = sql`name = any(${names}) and (${state ?? null}::text is null or state::text = ${state ?? null})`;
  const [found, counted] = await Promise.all([
    sql<JobRecord>`select ${recordColumns} from pgboss.job where ${isMeant}
      order by created_on desc, id desc limit ${limit} offset ${(page - 1) * limit}`.execute(db),
    sql<{ total: number }>`select count(*)::int as total from pgboss.job where ${isMeant}`.execute(db),
  ]);
  return { jobs: found.rows, total: counted.rows[0]?.total ?? 0 };
}

/** A job by its id (a UUID), whatever its queue. */
export async function readJob(db: Kysely<DB>, id: string): Promise<JobRecord | undefined> {
  const { rows } = await sql<JobRecord>`
    select ${recordColumns} from pgboss.job where id = ${id} and name = any(${shownQueues})`.execute(db);
  return rows[0];
}

/** The state of a job; undefined when there is none, or none any more. */
export async function readJobState(db: Kysely<DB>, queue: QueueName, id: string): Promise<JobState | undefined> {
  const { rows } = await sql<{ state: JobState }>`
    select state::text as state from pgboss.job where name = ${queue} and id = ${id}`.execute(db);
  return rows[0]?.state;
}

/** The job that works a run, else the last one that did, with its error; a release before this one gave a run several jobs. */
export async function findJobOfRun(
  db: Kysely<DB>,
  queue: QueueName,
  run: { id: string; job_id: string | null },
): Promise<{ id: string; state: JobState; error: string | null } | undefined> {
  const { rows } = await sql<{ id: string; state: JobState; error: string | null }>`
    select id, state::text as state, coalesce(output->>'error', output->>'message') as error from pgboss.job
    where name = ${queue} and (id = ${run.job_id} or data->>'run_id' = ${run.id})
    order by state in ('created', 'retry', 'active') desc, created_on desc limit 1`.execute(db);
  return rows[0];
}

/**
 * Puts active jobs back into their queue, due at once, with a try more: another claim, so that what their worker says of them
 * afterwards is ignored. Those whose try `attempt` is over by now stay as they are. Answers how many went back.
 */
export async function putBackJobs(
  db: Kysely<DB>,
  queue: string,
  jobs: readonly { id: string; attempt: number }[],
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    update pgboss.job j set state = 'retry', retry_limit = retry_limit + 1, start_after = pgboss.job_now()
    from unnest(${jobs.map(({ id }) => id)}::uuid[], ${jobs.map(({ attempt }) => attempt)}::int[]) as given (id, attempt)
    where j.name = ${queue} and j.id = given.id and j.retry_count = given.attempt and j.state = 'active'`.execute(db);
  return Number(numAffectedRows);
}

/** Deletes the jobs that have ended, and the dead letters, of which a condition on their `data` and `output` holds; answers how many. */
export async function deleteEndedJobs(db: Kysely<DB>, condition: RawBuilder<boolean>): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from pgboss.job where name = any(${shownQueues})
      and (state in ('completed', 'cancelled', 'failed') or name like '%.dead') and ${condition}`.execute(db);
  return Number(numAffectedRows);
}

/** Deletes the jobs of a queue that have not begun, or are to be tried again, of which a condition on their `data` holds. */
export async function deleteWaitingJobs(
  db: Kysely<DB>,
  queue: QueueName,
  condition: RawBuilder<boolean>,
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from pgboss.job where name = ${queue} and state in ('created', 'retry') and ${condition}`.execute(db);
  return Number(numAffectedRows);
}

/** Jobs of paused queues do not start: the trigger is made here, because the table is there only once pg-boss has made it. */
export async function holdPausedQueues(boss: PgBoss): Promise<void> {
  const { rows } = await boss.getDb().executeSql(`select from pg_trigger where tgname = 'hold_paused_job'`);
  if (rows.length > 0) return;
  await boss.getDb().executeSql(
    `create or replace trigger hold_paused_job before update of state on pgboss.job for each row
     when (old.state < 'active' and new.state = 'active') execute function hold_paused_job()`,
  );
}
