import type { Database } from '../../db/client.ts';
import { readNewest } from '../../db/newest.ts';
import { conflict } from '../kit/errors.ts';
import type { Jobs, Tx } from '../queues/jobs.ts';
import { findLiveRun, startRun, stopRun } from '../runs/control.ts';
import { endLostRuns } from '../runs/lost-runs.ts';
import type { NewRun } from '../runs/runs.ts';

export const dedupKind = 'dedup';

/** What is looked for: among which listings, from which score on, and from which confidence on groups are merged at once. */
export type ScanWish = { category?: string; since?: string; threshold: number; mergeFrom: number | null };

/** What a run counts. */
export const noCounts = {
  done: 0,
  listings: 0,
  listings_scanned: 0,
  pairs_compared: 0,
  groups_detected: 0,
  groups_merged: 0,
};
export type ScanCounts = typeof noCounts;

/** Where a run stands: behind this listing of a phase, with these groups still to be merged. */
export type ScanCursor = { phase: 'refresh' | 'compare' | 'group'; after: string; merging: string[] };

type Producer = Pick<Jobs, 'enqueue'>;
type Opened = { runId: string; jobId: string };
/** The subject of the background job, of which there is one at a time; other scans are named by what they look for. */
const JOB = '';

/** Starts the background job; 409 while one is live. Answers the id of its job. */
export async function startDedupRun(
  tx: Tx,
  jobs: Producer,
  wish: ScanWish,
  startedBy: string,
  now: Date,
): Promise<string> {
  const { jobId } = await startRun(tx, jobs, newScan(JOB, wish, startedBy), now);
  return jobId;
}

/** Asks the background job to stop after its batch, or ends it at once when nobody works it; 409 when none is live. */
export async function stopDedupRun(tx: Tx, now: Date) {
  await endLostRuns(tx, now);
  const stopped = await stopRun(tx, dedupKind, JOB, now);
  if (!stopped) throw conflict('No search for duplicates is running.');
  return stopped;
}

/** Starts a scan; one that looks for the same and is live already is joined. */
export async function startScanRun(
  tx: Tx,
  jobs: Producer,
  wish: ScanWish,
  startedBy: string,
  now: Date,
): Promise<Opened> {
  await endLostRuns(tx, now);
  const { category = null, since = null, threshold, mergeFrom } = wish;
  const subject = `scan ${JSON.stringify([category, since, threshold, mergeFrom])}`;
  const live = await findLiveRun(tx, dedupKind, subject);
  if (live?.job_id) return { runId: live.id, jobId: live.job_id };
  return startRun(tx, jobs, newScan(subject, wish, startedBy), now);
}

const newScan = (subject: string, wish: ScanWish, startedBy: string): NewRun => ({
  kind: dedupKind,
  subject,
  trigger: 'manual',
  startedBy,
  counters: noCounts,
  params: wish,
});

const columns = [
  'id',
  'status',
  'stop_requested_at',
  'job_id',
  'params',
  'total',
  'counters',
  'error',
  'last_error',
  'started_by',
  'created_at',
  'started_at',
  'finished_at',
] as const;

/** The background job that is live, else the last one. */
export function readLastJob(db: Database) {
  return selectJobs(db).orderBy('created_at', 'desc').orderBy('id', 'desc').limit(1).executeTakeFirst();
}

/** One page of the background jobs there were, the newest first, and how many there are. */
export function readDedupJobs(db: Database, { page, limit }: { page: number; limit: number }) {
  return readNewest(selectJobs(db), { page, limit });
}

/** A run by its id. */
export function readRun(db: Database, id: string) {
  return db.selectFrom('runs').select(columns).where('id', '=', id).executeTakeFirst();
}

export type DedupRun = NonNullable<Awaited<ReturnType<typeof readRun>>>;

const selectJobs = (db: Database) =>
  db.selectFrom('runs').select(columns).where('kind', '=', dedupKind).where('subject', '=', JOB);
