import { sql, type Kysely } from 'kysely';
import type { DB } from '../../db/types.gen.ts';
import { conflict } from '../kit/errors.ts';
import { recordEvents } from '../journal/events.ts';
import { newId } from '../kit/ids.ts';
import { isUniqueViolation } from '../kit/postgres-errors.ts';
import type { Tx } from '../queues/jobs.ts';

export type RunKind = 'rewrite-migration' | 'scraper' | 'images' | 'backup' | 'dedup' | 'reindex' | 'reimport';
export type RunStatus = 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled';
export type Counters = Record<string, number>;

type NewRun = {
  kind: RunKind;
  subject: string;
  trigger: 'manual' | 'schedule';
  startedBy: string | null;
  counters: Counters;
  params?: Record<string, unknown>;
};

/** Opens a run; a second one of the same kind and subject while one is queued or running throws 409. */
export async function openRun(tx: Tx, run: NewRun, now: Date): Promise<string> {
  const id = newId('run');
  try {
    await tx
      .insertInto('runs')
      .values({
        id,
        kind: run.kind,
        subject: run.subject,
        trigger: run.trigger,
        params: JSON.stringify(run.params ?? {}),
        counters: JSON.stringify(run.counters),
        started_by: run.startedBy,
        created_at: now,
        updated_at: now,
      })
      .execute();
  } catch (error) {
    if (isUniqueViolation(error, 'runs_one_live')) throw conflict('A run is already queued or running here.');
    throw error;
  }
  return id;
}

/** Marks a queued run as running; false when it has ended or was asked to stop before it began. */
export async function beginRun(db: Kysely<DB>, id: string, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('runs')
    .set((eb) => ({ status: 'running', started_at: eb.fn.coalesce('started_at', eb.val(now)), updated_at: now }))
    .where('id', '=', id)
    .where('status', 'in', ['queued', 'running'])
    .where('stop_requested_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Adds to a live run's counters; true when somebody has asked it to stop. */
export async function countInRun(db: Kysely<DB>, id: string, deltas: Counters, now: Date): Promise<boolean> {
  const row = await db
    .updateTable('runs')
    .set({ counters: sql`(${mergedCounters(deltas)})`, updated_at: now })
    .where('id', '=', id)
    .returning('stop_requested_at')
    .executeTakeFirst();
  return row?.stop_requested_at !== null;
}

function mergedCounters(deltas: Counters) {
  return sql`select jsonb_object_agg(key, coalesce((counters->>key)::int, 0) + coalesce((${JSON.stringify(deltas)}::jsonb->>key)::int, 0))
             from jsonb_object_keys(counters || ${JSON.stringify(deltas)}::jsonb) as key`;
}

/** Notes an error in a run; the first 50 are kept. */
export async function noteRunError(
  db: Kysely<DB>,
  id: string,
  error: { url?: string; message: string },
  now: Date,
): Promise<void> {
  await db
    .updateTable('runs')
    .set({ errors: sql`errors || ${JSON.stringify([{ ...error, at: now.toISOString() }])}::jsonb`, updated_at: now })
    .where('id', '=', id)
    .where(sql<boolean>`jsonb_array_length(errors) < 50`)
    .execute();
}

/** Ends a live run and records its one terminal event; false when it had ended already. */
export async function endRun(
  tx: Tx,
  id: string,
  end: { status: Exclude<RunStatus, 'queued' | 'running'>; error?: string },
  now: Date,
): Promise<boolean> {
  const run = await tx
    .updateTable('runs')
    .set({ status: end.status, error: end.error ?? null, finished_at: now, updated_at: now })
    .where('id', '=', id)
    .where('status', 'in', ['queued', 'running'])
    .returning(['kind', 'subject', 'started_by', 'counters'])
    .executeTakeFirst();
  if (!run) return false;
  const type = end.status === 'succeeded' ? 'run.completed' : end.status === 'failed' ? 'run.failed' : 'run.cancelled';
  const data = {
    run_id: id,
    kind: run.kind,
    subject: run.subject,
    status: end.status,
    counters: run.counters,
    error: end.error ?? null,
  };
  await recordEvents(tx, now, [{ type, subject: id, ownerId: run.started_by, data }]);
  return true;
}
