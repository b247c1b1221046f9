import { sql, type Kysely } from 'kysely';
import type { DB } from '../../db/types.gen.ts';
import { recordEvents } from '../journal/events.ts';
import { conflict } from '../kit/errors.ts';
import { newId } from '../kit/ids.ts';
import { isUniqueViolation } from '../kit/postgres-errors.ts';
import type { Tx } from '../queues/jobs.ts';
import type { RunKind } from './kinds.ts';

export type RunEnd = 'succeeded' | 'failed' | 'cancelled';
export type Counters = Record<string, number>;
export type RunError = { url?: string | undefined; message: string };

export type NewRun = {
  kind: RunKind;
  /** What it is about; of each subject one run at a time is live. */
  subject: string;
  trigger: 'manual' | 'schedule';
  startedBy: string | null;
  counters: Counters;
  params?: Record<string, unknown>;
  total?: number;
};

/** How far a run has come since what it last told. */
export type Advance<Cursor = unknown> = {
  cursor?: Cursor | undefined;
  /** Added to its counters. */
  count?: Counters;
  total?: number | null;
  params?: Record<string, unknown>;
  /** What went wrong although the run goes on. */
  lastError?: string | undefined;
  /** Added to its errors, of which the first 50 are kept. */
  errors?: readonly RunError[];
};

const MAX_ERRORS = 50;
const eventOf = { succeeded: 'run.completed', failed: 'run.failed', cancelled: 'run.cancelled' } as const;

/** Opens a run; a second one of the same kind and subject while one is queued or running throws 409. */
export async function openRun(tx: Tx, run: NewRun, now: Date): Promise<string> {
  const id = newId('run');
  const { kind, subject, trigger, startedBy, counters, params = {}, total = null } = run;
  const json = { params: JSON.stringify(params), counters: JSON.stringify(counters) };
  try {
    await tx
      .insertInto('runs')
      .values({ id, kind, subject, trigger, started_by: startedBy, total, ...json, created_at: now, updated_at: now })
      .execute();
  } catch (error) {
    if (isUniqueViolation(error, 'runs_one_live')) throw conflict('A run is already queued or running here.');
    throw error;
  }
  return id;
}

/** Writes down how far a run has come, and answers all its counters. A cursor that moves begins a new count of tries. */
export async function advanceRun(
  db: Kysely<DB>,
  id: string,
  { cursor, count = {}, total, params, lastError, errors = [] }: Advance,
  now: Date,
): Promise<unknown> {
  const added = errors.map((error) => ({ ...error, at: now.toISOString() }));
  const row = await db
    .updateTable('runs')
    .set({
      updated_at: now,
      ...(cursor !== undefined && { cursor: JSON.stringify(cursor), tries: 0 }),
      ...(Object.keys(count).length > 0 && { counters: sum(count) }),
      ...(total !== undefined && { total }),
      ...(params && { params: JSON.stringify(params) }),
      ...(lastError !== undefined && { last_error: lastError }),
      ...(added.length > 0 && { errors: append(added) }),
    })
    .where('id', '=', id)
    .returning('counters')
    .executeTakeFirst();
  return row?.counters;
}

const sum = (count: Counters) => sql<string>`(
  select jsonb_object_agg(key, coalesce((counters->>key)::int, 0) + coalesce((${JSON.stringify(count)}::jsonb->>key)::int, 0))
  from jsonb_object_keys(counters || ${JSON.stringify(count)}::jsonb) as key)`;

const append = (errors: readonly object[]) => sql<string>`
  jsonb_path_query_array(errors || ${JSON.stringify(errors)}::jsonb, ${sql.lit(`$[0 to ${MAX_ERRORS - 1}]`)})`;

/** The counters of a run as numbers, whatever the row holds; `none` names them. */
export function readCounters<Counter extends string>(
  none: Record<Counter, number>,
  stored: unknown,
): Record<Counter, number> {
  const found = new Map(Object.entries((stored ?? {}) as Record<string, unknown>));
  const counted = Object.keys(none).map((name) => [name, Number(found.get(name) ?? 0) || 0]);
  return Object.fromEntries(counted) as Record<Counter, number>;
}

/** Ends a live run and records its one terminal event; false when it had ended already. */
export async function endRun(
  tx: Tx,
  id: string,
  { status, error }: { status: RunEnd; error?: string },
  now: Date,
): Promise<boolean> {
  const run = await tx
    .updateTable('runs')
    .set({ status, error: error ?? null, finished_at: now, updated_at: now })
    .where('id', '=', id)
    .where('status', 'in', ['queued', 'running'])
    .returning(['kind', 'subject', 'started_by', 'counters'])
    .executeTakeFirst();
  if (!run) return false;
  const { started_by: ownerId, ...told } = run;
  const data = { run_id: id, ...told, status, error: error ?? null };
  await recordEvents(tx, now, [{ type: eventOf[status], subject: id, ownerId, data }]);
  return true;
}
