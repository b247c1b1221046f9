import { sql } from 'kysely';
import { inTransaction } from '../../db/client.ts';
import type { Jobs, Tx } from '../queues/jobs.ts';
import { beginRun, countInRun, endRun, noteRunError, openRun, type Counters } from '../runs/runs.ts';
import { endLostRuns } from '../runs/runs-lost.ts';
import { diffBack } from './diff.ts';
import { countReimportable, nothingYet, reimportAfter, type Reimported, type ReimportServices } from './reimport.ts';
import type { UpdatePlan } from './store-updates.ts';

/** What a run was started with: whether it only looks, and the one site whose listings it goes through. */
export type ReimportParams = { dry_run: boolean; site: string | null };

/** Counts of listings that differ in a field are counters of their own. */
export const FIELD_COUNTER = 'field:';
const noCounts = { done: 0, changed: 0, skipped: 0, failed: 0 };
/** Runs whose changes can be read, the one that begins among them. */
const RUNS_KEPT = 10;
/** Of 200 listings at a time; a run keeps 50 in all. */
const MOST_REASONS = 10;

/** The run was ended meanwhile: what was about to be written is not. */
class RunEnded extends Error {}

/**
 * Opens a run that maps all scraped listings with today's rules, and queues its job; a second one while one is live throws 409.
 * The changes of older runs than the last ten are forgotten.
 */
export async function startReimport(
  tx: Tx,
  jobs: Pick<Jobs, 'enqueue'>,
  params: ReimportParams,
  startedBy: string,
  now: Date,
): Promise<{ jobId: string; runId: string }> {
  await endLostRuns(tx, now);
  const run = { kind: 'reimport', subject: '', trigger: 'manual', startedBy, counters: noCounts, params } as const;
  const runId = await openRun(tx, run, now);
  const jobId = await jobs.enqueue(tx, 'reimport-listings', { run_id: runId });
  if (jobId === null) throw new Error('the job of a run was not queued');
  const total = await countReimportable(tx, { sellerId: undefined, site: params.site ?? undefined });
  await tx.updateTable('runs').set({ job_id: jobId, total }).where('id', '=', runId).execute();
  await sql`
    delete from reimport_changes where run_id not in (
      select id from runs where kind = 'reimport' order by created_at desc, id desc limit ${RUNS_KEPT})`.execute(tx);
  return { jobId, runId };
}

/**
 * Works a run to its end from where it stands. What differs is kept, field by field, in the transaction that writes it: killed
 * at any point, the run changes and counts nothing twice. Answers how many listings came out differently.
 */
export async function workReimport(services: ReimportServices, runId: string, signal: AbortSignal): Promise<Counters> {
  const { db, clock } = services;
  if (!(await beginRun(db, runId, clock.now()))) return {};
  const run = await db
    .selectFrom('runs')
    .select(['params', 'cursor', 'counters'])
    .where('id', '=', runId)
    .executeTakeFirstOrThrow();
  const { dry_run: isDry, site } = run.params as ReimportParams;
  const scope = { sellerId: undefined, site: site ?? undefined, isDry, keep: keepChanges(runId, services) };
  for (let after = (run.cursor as { after: string } | null)?.after ?? ''; ;) {
    signal.throwIfAborted();
    const outcome = nothingYet();
    const last = await reimportAfter(services, after, scope, outcome).catch((error: unknown) => {
      if (error instanceof RunEnded) return undefined;
      throw error;
    });
    if (!(await inTransaction(db, (tx) => advance(tx, services, runId, last, outcome)))) break;
    after = last ?? '';
  }
  const { counters } = await db.selectFrom('runs').select('counters').where('id', '=', runId).executeTakeFirstOrThrow();
  return counters as Counters;
}

/** Keeps the changes of some listings and counts them, once each: a listing that a killed try came to is known already. */
function keepChanges(runId: string, { clock }: ReimportServices) {
  return async (tx: Tx, plans: readonly UpdatePlan[]): Promise<void> => {
    const live = sql`select from runs where id = ${runId} and status = 'running' for update`;
    if ((await live.execute(tx)).rows.length === 0) throw new RunEnded();
    const changed = plans.flatMap(({ listing, next, images, previous }) => {
      const fields = Object.keys(previous);
      if (fields.length === 0) return [];
      const after = diffBack(listing, next);
      if (images) after['images'] = images.named.length;
      return { listing_id: listing.id, fields, previous, next: after };
    });
    if (changed.length === 0) return;
    const { rows } = await sql<{ fields: string[] }>`
      insert into reimport_changes (run_id, listing_id, fields, previous, next)
      select ${runId}, n.listing_id, n.fields, n.previous, n.next
      from jsonb_to_recordset(${JSON.stringify(changed)}::jsonb) as n (listing_id text, fields text[], previous jsonb, next jsonb)
      on conflict do nothing returning fields`.execute(tx);
    const counts: Counters = { changed: rows.length };
    for (const field of rows.flatMap(({ fields }) => fields)) {
      const name = FIELD_COUNTER + field;
      counts[name] = (counts[name] ?? 0) + 1;
    }
    await countInRun(tx, runId, counts, clock.now());
  };
}

/** Writes down where the run is and what it could not map, or ends it; true while it goes on. */
async function advance(
  tx: Tx,
  { clock }: ReimportServices,
  runId: string,
  last: string | undefined,
  { reimported, skipped, errors }: Reimported,
): Promise<boolean> {
  const now = clock.now();
  const moved = await tx
    .updateTable('runs')
    .set({ cursor: last === undefined ? null : JSON.stringify({ after: last }), updated_at: now })
    .where('id', '=', runId)
    .where('status', '=', 'running')
    .executeTakeFirst();
  if (moved.numUpdatedRows === 0n) return false;
  const done = reimported + skipped.length + errors.length;
  const isStopped = await countInRun(tx, runId, { done, skipped: skipped.length, failed: errors.length }, now);
  const reasons = [
    ...errors.map(({ id, error }) => `${id}: ${error}`),
    ...skipped.map(({ id, reason }) => `${id}: ${reason}`),
  ];
  for (const message of reasons.slice(0, MOST_REASONS)) await noteRunError(tx, runId, { message }, now);
  if (last !== undefined && !isStopped) return true;
  await endRun(tx, runId, { status: isStopped ? 'cancelled' : 'succeeded' }, now);
  return false;
}
