import { sql, type Selectable } from 'kysely';
import type { Runs } from '../../db/types.gen.ts';
import { inTransaction } from '../../db/client.ts';
import { readNewest } from '../../db/newest.ts';
import { notFound } from '../../shared/kit/errors.ts';
import { FIELD_COUNTER, startReimportRun, type ReimportParams } from '../../shared/ingest/reimport-run.ts';
import { paginationOf } from '../http/pagination.ts';
import type { Result } from '../http/types.ts';
import type { AuthenticatedHandler, Handler } from '../handler.ts';

type ReimportRun = Result<'listReimports', 200>['results'][number];
type Change = Result<'listReimportChanges', 200>['results'][number];

/** Queues a run that maps all scraped listings with today's rules; 409 while another one is queued or running. */
export const startReimport: AuthenticatedHandler<'startReimport'> = async ({ db, jobs, clock }, { body, caller }) => {
  const params = { dry_run: body?.dry_run ?? false, site: body?.site?.toLowerCase() ?? null };
  const { jobId, runId } = await inTransaction(db, (tx) =>
    startReimportRun(tx, jobs, params, caller.userId, clock.now()),
  );
  return { status: 202, body: { job_id: jobId, run_id: runId, status: 'queued' } };
};

/** The runs that map scraped listings again, newest first, each with how many listings differ in which fields. */
export const listReimports: Handler<'listReimports'> = async ({ db }, { query }) => {
  const { page = 1, limit = 20 } = query;
  const found = db.selectFrom('runs').where('kind', '=', 'reimport').selectAll();
  const { rows, total } = await readNewest(found, { page, limit });
  return { status: 200, body: { results: rows.map(presentReimport), pagination: paginationOf(page, limit, total) } };
};

/** What a run has changed, or would change, listing by listing; 404 when there is no such run. */
export const listReimportChanges: Handler<'listReimportChanges'> = async ({ db }, { params, query }) => {
  const { field, page = 1, limit = 20 } = query;
  const run = await db
    .selectFrom('runs')
    .select('counters')
    .where('id', '=', params.runId)
    .where('kind', '=', 'reimport')
    .executeTakeFirst();
  if (!run) throw notFound('run', params.runId);
  const isMeant = sql`c.run_id = ${params.runId} and (${field ?? null}::text is null or ${field ?? null} = any(c.fields))`;
  const { rows } = await sql<Change>`
    select c.listing_id, l.title, c.previous, c.next
    from reimport_changes c left join listings l on l.id = c.listing_id
    where ${isMeant} order by c.listing_id limit ${limit} offset ${(page - 1) * limit}`.execute(db);
  const counted = await sql<{ total: number }>`
    select count(*)::int as total from reimport_changes c where ${isMeant}`.execute(db);
  const total = counted.rows[0]?.total ?? 0;
  return { status: 200, body: { results: rows, pagination: paginationOf(page, limit, total) } };
};

function presentReimport(row: Selectable<Runs>): ReimportRun {
  const { dry_run, site } = row.params as ReimportParams;
  const counters = new Map(Object.entries(row.counters as Record<string, number>));
  const count = (name: string) => counters.get(name) ?? 0;
  const fields = [...counters]
    .filter(([name]) => name.startsWith(FIELD_COUNTER))
    .map(([name, listings]) => ({ field: name.slice(FIELD_COUNTER.length), listings }))
    .toSorted((a, b) => b.listings - a.listings || (a.field < b.field ? -1 : 1));
  const ofTheRun =
    row.error === null ? [] : [{ message: row.error, at: (row.finished_at ?? row.updated_at).toISOString() }];
  return {
    id: row.id,
    job_id: row.job_id ?? '',
    dry_run,
    site,
    status: row.status as ReimportRun['status'],
    created_at: row.created_at.toISOString(),
    started_at: row.started_at?.toISOString() ?? null,
    finished_at: row.finished_at?.toISOString() ?? null,
    total: row.total ?? 0,
    done: count('done'),
    changed: count('changed'),
    skipped: count('skipped'),
    failed: count('failed'),
    fields,
    errors: [...ofTheRun, ...(row.errors as ReimportRun['errors'])].slice(0, 50),
  };
}
