import { sql } from 'kysely';
import { inTransaction, type Database } from '../../db/client.ts';
import type { Clock } from '../kit/clock.ts';
import type { Jobs, Tx } from '../queues/jobs.ts';
import { endLostRuns } from '../runs/runs-lost.ts';
import { beginRun, countInRun, endRun, openRun } from '../runs/runs.ts';

type Services = { db: Database; jobs: Pick<Jobs, 'enqueueAll'>; clock: Clock };

const BATCH = 500;

/** The listings after an id that have pictures which are still to come or could not be had, in the order of their ids. */
const incomplete = (after: string) => sql`
  select l.id from listings l where l.status <> 'deleted' and l.id > ${after} and l.id in (
    select listing_id from listing_images where status = 'pending' union select listing_id from listing_images where status = 'failed')`;

/**
 * Opens a run that sends the pictures which listings lack to localize-images once more, and queues its job; answers the job's id.
 * A second start while one is live throws 409.
 */
export async function startRequeue(tx: Tx, jobs: Pick<Jobs, 'enqueue'>, startedBy: string, now: Date): Promise<string> {
  await endLostRuns(tx, now);
  const { rows } = await sql<{ n: number }>`select count(*)::int as n from (${incomplete('')}) as found`.execute(tx);
  const counters = { done: 0, pictures: 0 };
  const runId = await openRun(tx, { kind: 'images', subject: '', trigger: 'manual', startedBy, counters }, now);
  const jobId = await jobs.enqueue(tx, 'requeue-images', { run_id: runId });
  if (jobId === null) throw new Error('the job of a run was not queued');
  await tx
    .updateTable('runs')
    .set({ job_id: jobId, total: rows[0]?.n ?? 0 })
    .where('id', '=', runId)
    .execute();
  return jobId;
}

/** Works a run to its end from where it stands, a batch per transaction; answers how many listings it went through in all. */
export async function requeuePictures(services: Services, runId: string, signal: AbortSignal): Promise<number> {
  const { db, clock } = services;
  if (!(await beginRun(db, runId, clock.now()))) return 0;
  for (;;) {
    signal.throwIfAborted();
    const { done, ended } = await inTransaction(db, (tx) => requeueBatch(tx, services, runId));
    if (ended) return done;
  }
}

async function requeueBatch(tx: Tx, { jobs, clock }: Services, runId: string) {
  const now = clock.now();
  const run = await tx
    .selectFrom('runs')
    .select([
      sql<string>`coalesce(cursor ->> 'after', '')`.as('after'),
      sql<number>`(counters ->> 'done')::int`.as('done'),
    ])
    .where('id', '=', runId)
    .where('status', '=', 'running')
    .forUpdate()
    .executeTakeFirst();
  if (!run) return { done: 0, ended: true };
  const { rows } = await sql<{ id: string }>`${incomplete(run.after)} order by l.id limit ${BATCH}`.execute(tx);
  const ids = rows.map(({ id }) => id);
  const { numAffectedRows = 0n } = await sql`
    update listing_images set status = 'pending', attempts = 0, error = null, updated_at = ${now}
    where status = 'failed' and listing_id = any(${ids}::text[])`.execute(tx);
  await jobs.enqueueAll(
    tx,
    'localize-images',
    ids.map((id) => ({ payload: { listing_id: id }, options: { key: id } })),
  );
  const stopped = await countInRun(tx, runId, { done: ids.length, pictures: Number(numAffectedRows) }, now);
  await tx
    .updateTable('runs')
    .set({ cursor: JSON.stringify({ after: ids.at(-1) ?? run.after }) })
    .where('id', '=', runId)
    .execute();
  const ended = stopped || ids.length < BATCH;
  if (ended) await endRun(tx, runId, { status: stopped ? 'cancelled' : 'succeeded' }, now);
  return { done: run.done + ids.length, ended };
}
