import { sql } from 'kysely';
import { inTransaction, type Database } from '../../db/client.ts';
import { conflict } from '../kit/errors.ts';
import type { Jobs, Tx } from '../queues/jobs.ts';
import { beginRun, endRun, openRun } from '../runs/runs.ts';
import { createCollection, dropOthers, nameCollection, pointTo, readTarget } from './typesense/collections.ts';
import { compareCollection } from './typesense/compare.ts';
import { INDEXED } from './typesense/document.ts';
import { indexListings, type SyncDependencies } from './typesense/sync.ts';

const KIND = 'reindex';
const BATCH = 500;
/** A job hands on to the next one after so long. */
const MOST_MS = 20_000;

type Producer = Pick<Jobs, 'enqueue'>;
export type Reindexing = SyncDependencies & { db: Database; jobs: Producer; jobId: string; signal: AbortSignal };
export type Progress = { done: number; finished: boolean };

/**
 * Opens a run that builds the index anew beside the one that is read, and queues its first job, whose id it answers; 409 while
 * one is under way. Without an index there is nothing to build: the job ends its run at once.
 */
export async function startReindex(tx: Tx, jobs: Producer, startedBy: string | null, now: Date): Promise<string> {
  const trigger = startedBy === null ? 'schedule' : 'manual';
  const runId = await openRun(
    tx,
    { kind: KIND, subject: '', trigger, startedBy, counters: { done: 0, refused: 0 } },
    now,
  );
  const jobId = await jobs.enqueue(tx, 'reindex-search', { run_id: runId }, { key: runId });
  if (!jobId) throw conflict('A run is already queued or running here.');
  await tx.updateTable('runs').set({ job_id: jobId }).where('id', '=', runId).execute();
  return jobId;
}

/** Ends the run of a server without an index, which PostgreSQL keeps by itself. */
export async function endIdleReindex(db: Database, runId: string, now: Date): Promise<void> {
  await inTransaction(db, (tx) => endRun(tx, runId, { status: 'succeeded' }, now));
}

/**
 * Goes on filling the collection of a run, from where it is; once everything is in, holds it against the database and lets
 * searches read it. Changes meanwhile go into both collections. Killed at any point, it goes on when it is tried again.
 */
export async function reindexBatches(reindexing: Reindexing, runId: string): Promise<Progress> {
  const { db, index, now, signal } = reindexing;
  if (!(await beginRun(db, runId, now()))) return abandon(reindexing, runId);
  const collection = nameCollection(index, runId);
  await createCollection(index, collection);
  // From here on changes go into both, before the first listing is read.
  const run = await db
    .updateTable('runs')
    .set({ params: JSON.stringify({ collection }) })
    .where('id', '=', runId)
    .returning('cursor')
    .executeTakeFirstOrThrow();
  let { after } = (run.cursor ?? { after: '' }) as { after: string };
  const started = performance.now();
  for (;;) {
    if (signal.aborted || performance.now() - started > MOST_MS) return handOn(reindexing, runId);
    const ids = await readIds(db, after);
    if (ids.length === 0) break;
    const { indexed, refused } = await indexListings(reindexing, ids, [collection]);
    after = ids.at(-1) ?? after;
    if (await advance(db, runId, { after, indexed, refused }, now())) return abandon(reindexing, runId);
  }
  await compareCollection(reindexing, collection, signal, 'versions');
  await pointTo(index, collection);
  await inTransaction(db, (tx) => endRun(tx, runId, { status: 'succeeded' }, now()));
  await dropOthers(index, [collection]);
  return { done: await doneBy(db, runId), finished: true };
}

async function readIds(db: Database, after: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select l.id from listings l where l.id > ${after} and ${sql.raw(INDEXED)} order by l.id limit ${BATCH}`.execute(db);
  return rows.map(({ id }) => id);
}

/** Writes down where a run is; true when somebody has asked it to stop. */
async function advance(
  db: Database,
  runId: string,
  { after, indexed, refused }: { after: string; indexed: number; refused: number },
  now: Date,
): Promise<boolean> {
  const row = await db
    .updateTable('runs')
    .set({
      cursor: JSON.stringify({ after }),
      counters: sql`jsonb_build_object('done', (counters->>'done')::int + ${indexed}::int, 'refused', (counters->>'refused')::int + ${refused}::int)`,
      updated_at: now,
    })
    .where('id', '=', runId)
    .where('status', '=', 'running')
    .returning('stop_requested_at')
    .executeTakeFirst();
  return row?.stop_requested_at !== null;
}

async function handOn(reindexing: Reindexing, runId: string): Promise<Progress> {
  const { db, jobs, jobId } = reindexing;
  const { rows } = await sql`
    select from pgboss.job where name = 'reindex-search' and id = ${jobId} and state = 'cancelled'`.execute(db);
  if (rows.length > 0) return abandon(reindexing, runId);
  await inTransaction(db, async (tx) => {
    await jobs.enqueue(tx, 'reindex-search', { run_id: runId }, { key: runId });
  });
  return { done: await doneBy(db, runId), finished: false };
}

/** Of a run that was stopped nothing is left: searches go on reading what they have read. */
async function abandon({ db, index, now }: Reindexing, runId: string): Promise<Progress> {
  await inTransaction(db, (tx) => endRun(tx, runId, { status: 'cancelled' }, now()));
  const target = await readTarget(index);
  if (target !== undefined) await dropOthers(index, [target]);
  return { done: await doneBy(db, runId), finished: true };
}

async function doneBy(db: Database, runId: string): Promise<number> {
  const run = await db.selectFrom('runs').select('counters').where('id', '=', runId).executeTakeFirst();
  return Number((run?.counters as { done?: number } | undefined)?.done ?? 0);
}

/** Gives up a run whose job cannot succeed any more, so that another one can be started. */
export async function failReindex(db: Database, runId: string, error: string, now: Date): Promise<void> {
  await inTransaction(db, (tx) => endRun(tx, runId, { status: 'failed', error }, now));
}
