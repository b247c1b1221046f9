import { sql } from 'kysely';
import type { Database } from '../../db/client.ts';
import { readNewest } from '../../db/newest.ts';
import { conflict } from '../kit/errors.ts';
import type { Jobs, Tx } from '../queues/jobs.ts';
import { endLostRuns } from '../runs/runs-lost.ts';
import { endRun, openRun } from '../runs/runs.ts';

export const dedupKind = 'dedup';

/** What is looked for: among which listings, from which score on, and from which confidence on groups are merged at once. */
export type ScanWish = { category?: string; since?: string; threshold: number; mergeFrom: number | null };

/** What a run has counted; `tries` are those since it last got on. */
export const noCounts = {
  done: 0,
  listings: 0,
  listings_scanned: 0,
  pairs_compared: 0,
  groups_detected: 0,
  groups_merged: 0,
  tries: 0,
};
export type ScanCounts = typeof noCounts;

/** Where a run stands: behind this listing of a phase, with these groups still to be merged; and what went wrong last. */
export type Place = {
  phase: 'refresh' | 'compare' | 'group';
  after: string;
  merging: string[];
  lastError?: string;
};

export const placeOf = (cursor: unknown): Place => ({
  phase: 'refresh',
  after: '',
  merging: [],
  ...(cursor as Partial<Place> | null),
});

/** The counters of a run as numbers, whatever the row holds. */
export function countsOf(counters: unknown): ScanCounts {
  const stored = new Map(Object.entries((counters ?? {}) as Record<string, unknown>));
  const counted = Object.keys(noCounts).map((name) => [name, Number(stored.get(name) ?? 0) || 0]);
  return Object.fromEntries(counted) as ScanCounts;
}

type Producer = Pick<Jobs, 'enqueue'>;
type Opened = { runId: string; jobId: string };
const liveStatuses = ['queued', 'running'] as const;
/** The subject of the background job, of which there is one at a time; other scans are named by what they look for. */
const JOB = '';

/** Starts the background job; 409 while one is live. Answers the id of its job. */
export async function startDedupJob(
  tx: Tx,
  jobs: Producer,
  wish: ScanWish,
  startedBy: string,
  now: Date,
): Promise<string> {
  await endLostRuns(tx, now);
  const { jobId } = await openScan(tx, jobs, { subject: JOB, wish, startedBy }, now);
  return jobId;
}

/** Asks the background job to stop after its batch, or ends it at once when nobody works it; 409 when none is live. */
export async function stopDedupJob(
  tx: Tx,
  now: Date,
): Promise<{ jobId: string | null; status: 'stopping' | 'stopped' }> {
  await endLostRuns(tx, now);
  const live = await selectLive(tx, JOB).forUpdate().executeTakeFirst();
  if (!live) throw conflict('No search for duplicates is running.');
  if (live.job_id !== null && (await isWorked(tx, live.job_id))) {
    await tx.updateTable('runs').set({ stop_requested_at: now, updated_at: now }).where('id', '=', live.id).execute();
    return { jobId: live.job_id, status: 'stopping' };
  }
  await endRun(tx, live.id, { status: 'cancelled' }, now);
  return { jobId: live.job_id, status: 'stopped' };
}

/** Starts a scan; one that features for the same and is live already is joined. */
export async function startScan(tx: Tx, jobs: Producer, wish: ScanWish, startedBy: string, now: Date): Promise<Opened> {
  await endLostRuns(tx, now);
  const { category = null, since = null, threshold, mergeFrom } = wish;
  const subject = `scan ${JSON.stringify([category, since, threshold, mergeFrom])}`;
  const live = await selectLive(tx, subject).executeTakeFirst();
  if (live?.job_id) return { runId: live.id, jobId: live.job_id };
  return openScan(tx, jobs, { subject, wish, startedBy }, now);
}

async function openScan(
  tx: Tx,
  jobs: Producer,
  { subject, wish, startedBy }: { subject: string; wish: ScanWish; startedBy: string },
  now: Date,
): Promise<Opened> {
  const run = { kind: dedupKind, subject, trigger: 'manual', startedBy, counters: noCounts, params: wish } as const;
  const runId = await openRun(tx, run, now);
  const jobId = await jobs.enqueue(tx, 'dedup-scan', { run_id: runId });
  if (jobId === null) throw new Error('the job of a run was not queued');
  await tx.updateTable('runs').set({ job_id: jobId }).where('id', '=', runId).execute();
  return { runId, jobId };
}

const columns = [
  'id',
  'status',
  'stop_requested_at',
  'job_id',
  'params',
  'cursor',
  'total',
  'counters',
  'error',
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
export function readJobs(db: Database, { page, limit }: { page: number; limit: number }) {
  return readNewest(selectJobs(db), { page, limit });
}

/** A run by its id. */
export function readRun(db: Database, id: string) {
  return db.selectFrom('runs').select(columns).where('id', '=', id).executeTakeFirst();
}

export type DedupRun = NonNullable<Awaited<ReturnType<typeof readRun>>>;

const selectJobs = (db: Database) =>
  db.selectFrom('runs').select(columns).where('kind', '=', dedupKind).where('subject', '=', JOB);

const selectLive = (tx: Tx, subject: string) =>
  tx
    .selectFrom('runs')
    .select(['id', 'job_id'])
    .where('kind', '=', dedupKind)
    .where('subject', '=', subject)
    .where('status', 'in', liveStatuses);

async function isWorked(tx: Tx, jobId: string): Promise<boolean> {
  const { rows } = await sql`
    select from pgboss.job where name = 'dedup-scan' and id = ${jobId} and state = 'active'`.execute(tx);
  return rows.length > 0;
}
