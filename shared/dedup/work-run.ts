import { sql } from 'kysely';
import { inTransaction, type Database } from '../../db/client.ts';
import type { Catalog } from '../catalog/tree.ts';
import type { Clock } from '../kit/clock.ts';
import { ServiceError } from '../kit/errors.ts';
import { GiveUp, type Jobs, type Tx } from '../queues/jobs.ts';
import { beginRun, endRun } from '../runs/runs.ts';
import { lockDedup } from './lock.ts';
import { mergeGroup, Unproven } from './merge.ts';
import { takeStep } from './scan-step.ts';
import { countsOf, placeOf, type Place, type ScanCounts, type ScanWish } from './runs.ts';

type Dependencies = {
  db: Database;
  clock: Clock;
  catalog: Catalog;
  jobs: Pick<Jobs, 'enqueue' | 'enqueueAll'>;
};
type Turn = { over: object } | { over: null; groupId?: string };

/** So often the same batch is tried, whether it throws or takes its process down with it. */
const MAX_TRIES = 5;

/**
 * Works a run from where it stands to its end, a batch per transaction, each of which moves its place on: killed, it goes on
 * behind the last one. It ends when it is asked to stop or its job is cancelled, within one batch, and fails when a batch does
 * not come through however often it is tried.
 */
export async function workRun(services: Dependencies, runId: string, signal: AbortSignal): Promise<object> {
  const { db, clock } = services;
  if (!(await beginRun(db, runId, clock.now()))) return stop(services, runId);
  await countTry(services, runId);
  try {
    for (;;) {
      signal.throwIfAborted();
      const turn = await inTransaction(db, (tx) => takeTurn(tx, services, runId));
      if (turn.over) return turn.over;
      if (turn.groupId !== undefined) await merge(services, runId, turn.groupId);
    }
  } catch (error) {
    if (!signal.aborted) await noteFailure(services, runId, error);
    throw error;
  }
}

async function stop({ db, clock }: Dependencies, runId: string): Promise<object> {
  await inTransaction(db, (tx) => endRun(tx, runId, { status: 'cancelled' }, clock.now()));
  return { outcome: 'stopped' };
}

async function takeTurn(tx: Tx, services: Dependencies, runId: string): Promise<Turn> {
  await lockDedup(tx);
  const run = await lockRun(tx, runId);
  if (!run) return { over: { outcome: 'ended' } };
  const now = services.clock.now();
  const place = placeOf(run.cursor);
  const counts = countsOf(run.counters);
  if (run.stop_requested_at !== null || run.job_state === 'cancelled') {
    await endRun(tx, runId, { status: 'cancelled' }, now);
    return { over: { outcome: 'stopped', ...resultOf(counts) } };
  }
  const [groupId] = place.merging;
  if (groupId !== undefined) return { over: null, groupId };
  const step = await takeStep(tx, services, { wish: run.params as ScanWish, place, counts, total: run.total }, now);
  await moveOn(tx, runId, { ...step, place: step.place ?? place }, now);
  if (step.place) return { over: null };
  await endRun(tx, runId, { status: 'succeeded' }, now);
  return { over: resultOf(step.counts) };
}

/** A group that people have decided about meanwhile, that cannot be merged, or whose listings nothing proves to be one is left. */
async function merge(services: Dependencies, runId: string, groupId: string): Promise<void> {
  const refusal = await mergeGroup(services, { groupId, by: null }).then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof Unproven) return undefined;
      if (error instanceof ServiceError && (error.status === 404 || error.status === 409)) return error.message;
      throw error;
    },
  );
  await inTransaction(services.db, async (tx) => {
    const run = await lockRun(tx, runId);
    const place = placeOf(run?.cursor);
    // Another try of the job may have been here before.
    if (!run || place.merging[0] !== groupId) return;
    const counts = countsOf(run.counters);
    const group = await tx.selectFrom('dedup_groups').select('status').where('id', '=', groupId).executeTakeFirst();
    if (group?.status === 'merged') counts.groups_merged += 1;
    const next = { ...place, merging: place.merging.slice(1) };
    if (group?.status === 'detected' && refusal !== undefined) next.lastError = `A group was not merged: ${refusal}`;
    await moveOn(tx, runId, { place: next, counts, total: run.total }, services.clock.now());
  });
}

async function lockRun(tx: Tx, runId: string) {
  const { rows } = await sql<{
    stop_requested_at: Date | null;
    params: unknown;
    cursor: unknown;
    counters: unknown;
    total: number | null;
    job_state: string | null;
  }>`select stop_requested_at, params, cursor, counters, total,
       (select state::text from pgboss.job j where j.name = 'dedup-scan' and j.id = r.job_id) as job_state
     from runs r where id = ${runId} and status = 'running' for update`.execute(tx);
  return rows[0];
}

function moveOn(
  tx: Tx,
  runId: string,
  { place, counts, total }: { place: Place; counts: ScanCounts; total: number | null },
  now: Date,
) {
  return tx
    .updateTable('runs')
    .set({ cursor: JSON.stringify(place), counters: JSON.stringify({ ...counts, tries: 0 }), total, updated_at: now })
    .where('id', '=', runId)
    .execute();
}

/** Counts a try that has yet to get on; a batch that has taken its process down too often fails the run. */
async function countTry({ db, clock }: Dependencies, runId: string): Promise<void> {
  const failed = await inTransaction(db, async (tx) => {
    const run = await lockRun(tx, runId);
    if (!run) return undefined;
    const { tries } = countsOf(run.counters);
    if (tries >= MAX_TRIES) {
      const error = placeOf(run.cursor).lastError ?? 'Its process died over the same listings again and again.';
      await endRun(tx, runId, { status: 'failed', error }, clock.now());
      return error;
    }
    const counters = sql<string>`counters || jsonb_build_object('tries', ${tries + 1}::int)`;
    await tx.updateTable('runs').set({ counters }).where('id', '=', runId).execute();
    return undefined;
  });
  if (failed !== undefined) throw new GiveUp(failed);
}

/** Keeps what went wrong, and fails the run when it went wrong too often. */
async function noteFailure({ db, clock }: Dependencies, runId: string, error: unknown): Promise<void> {
  const lastError = error instanceof Error ? error.message.slice(0, 500) : 'unknown';
  const isLast = await inTransaction(db, async (tx) => {
    const run = await lockRun(tx, runId);
    if (!run) return false;
    // A batch before this one may have come through in the same try.
    const tries = Math.max(1, countsOf(run.counters).tries);
    const cursor = JSON.stringify({ ...placeOf(run.cursor), lastError });
    const counters = JSON.stringify({ ...countsOf(run.counters), tries });
    await tx.updateTable('runs').set({ cursor, counters, updated_at: clock.now() }).where('id', '=', runId).execute();
    if (tries < MAX_TRIES) return false;
    return endRun(tx, runId, { status: 'failed', error: lastError }, clock.now());
  });
  if (isLast) throw new GiveUp(lastError, { cause: error });
}

function resultOf({ listings_scanned, pairs_compared, groups_detected, groups_merged }: ScanCounts) {
  return { listings_scanned, pairs_compared, groups_detected, groups_merged };
}
