import { notFound } from '../../shared/kit/errors.ts';
import { readRunHistory, readRunWithErrors, type RunHistoryRow } from '../../shared/runs/read-runs.ts';
import { paginationOf } from '../http/pagination.ts';
import type { Result } from '../http/types.ts';
import type { Handler } from '../handler.ts';

type Entry = Result<'listRunHistory', 200>['results'][number];

/** The runs of every kind, newest first. */
export const listRunHistory: Handler<'listRunHistory'> = async ({ db }, { query }) => {
  const { kind, status, subject, page = 1, limit = 20 } = query;
  const { rows, total } = await readRunHistory(db, { kind, status, subject }, { offset: (page - 1) * limit, limit });
  return { status: 200, body: { results: rows.map(presentEntry), pagination: paginationOf(page, limit, total) } };
};

/** One run of any kind, with what went wrong in it. */
export const getRunRecord: Handler<'getRunRecord'> = async ({ db }, { params }) => {
  const run = await readRunWithErrors(db, params.runId);
  if (!run) throw notFound('run', params.runId);
  return { status: 200, body: { ...presentEntry(run), errors: run.errors.slice(0, 50) } };
};

function presentEntry(row: RunHistoryRow): Entry {
  const { id, subject_name, total, paused_reason, error, job_id, started_by, quarantined } = row;
  const counters = Object.fromEntries(
    Object.entries(row.counters).filter((entry): entry is [string, number] => typeof entry[1] === 'number'),
  );
  const done = counters['done'];
  return {
    id,
    kind: row.kind as Entry['kind'],
    subject: row.subject === '' ? null : row.subject,
    subject_name,
    trigger: row.trigger as Entry['trigger'],
    status: row.status as Entry['status'],
    progress:
      total !== null && total > 0 && done !== undefined ? Math.min(100, Math.floor((100 * done) / total)) : null,
    counters,
    paused_reason,
    error,
    job_id,
    started_by,
    quarantined,
    created_at: row.created_at.toISOString(),
    started_at: row.started_at?.toISOString() ?? null,
    finished_at: row.finished_at?.toISOString() ?? null,
  };
}
