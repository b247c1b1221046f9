import { setTimeout as sleep } from 'node:timers/promises';
import { inTransaction } from '../../db/client.ts';
import { SECOND_MS } from '../../shared/kit/clock.ts';
import { DETECTED_FROM, MERGED_FROM } from '../../shared/dedup/cap-score.ts';
import {
  readDedupJobs,
  readLastJob,
  readRun,
  startDedupRun,
  startScanRun,
  stopDedupRun,
  type DedupRun,
  type ScanWish,
} from '../../shared/dedup/runs.ts';
import { invalid, ServiceError, unavailable } from '../../shared/kit/errors.ts';
import { paginationOf } from '../http/pagination.ts';
import { readPreference } from '../http/prefer.ts';
import type { Result } from '../http/types.ts';
import type { AuthenticatedHandler, Handler } from '../handler.ts';
import type { Services } from '../services.ts';
import { presentJob, presentScanned, presentStatus } from './dedup-runs-present.ts';

type Accepted = Result<'scanDedup', 202>;
type Outcome = { run: DedupRun } | { accepted: Accepted; headers: Record<string, string> };

const MAX_WAIT_SECONDS = 25;
const FIRST_LOOK_MS = 20;
const LOOK_MS = 400;

/** Looks for duplicates among all listings or some, and tells what it found if that takes no longer than a caller waits. */
export const scanDedup: AuthenticatedHandler<'scanDedup'> = async (services, { caller, body, headers }) => {
  const [category, since] = [body?.category, body?.since];
  if (category !== undefined) requireCategory(services, category);
  const wish = {
    ...(category !== undefined && { category }),
    ...(since !== undefined && { since: requireMoment(since) }),
    threshold: body?.threshold ?? DETECTED_FROM,
    mergeFrom: null,
  };
  const outcome = await scan(services, wish, caller.userId, headers['Prefer']);
  if ('accepted' in outcome) return { status: 202, headers: outcome.headers, body: outcome.accepted };
  const { groups_merged: _, ...found } = presentScanned(outcome.run);
  return { status: 200, body: found };
};

/** The same for all listings, and merges the groups that are sure enough. */
export const scanAndMergeDedup: AuthenticatedHandler<'scanAndMergeDedup'> = async (
  services,
  { caller, body, headers },
) => {
  const wish = wishToMerge(body?.threshold ?? MERGED_FROM);
  const outcome = await scan(services, wish, caller.userId, headers['Prefer']);
  if ('accepted' in outcome) return { status: 202, headers: outcome.headers, body: outcome.accepted };
  return { status: 200, body: presentScanned(outcome.run), effects: { changed: { listings: 'all' } } };
};

/** Starts the background job; 409 while one is live. */
export const startDedupJob: AuthenticatedHandler<'startDedupJob'> = async ({ db, jobs, clock }, { caller, body }) => {
  const wish = body?.auto_merge
    ? wishToMerge(body.threshold ?? MERGED_FROM)
    : { threshold: body?.threshold ?? DETECTED_FROM, mergeFrom: null };
  const job_id = await inTransaction(db, (tx) => startDedupRun(tx, jobs, wish, caller.userId, clock.now()));
  return { status: 202, body: { job_id, status: 'queued' } };
};

/** Stops the background job after the batch at hand; 409 when none is live. */
export const stopDedupJob: Handler<'stopDedupJob'> = async ({ db, clock }) => {
  const { jobId, status } = await inTransaction(db, (tx) => stopDedupRun(tx, clock.now()));
  return { status: 202, body: { job_id: jobId, status } };
};

/** How far the background job is, or was. */
export const getDedupJob: Handler<'getDedupJob'> = async (services) => {
  return { status: 200, body: presentStatus(await readLastJob(services.db)) };
};

/** One page of the background jobs there were, the newest first. */
export const listDedupJobs: Handler<'listDedupJobs'> = async (services, { query: { page = 1, limit = 20 } }) => {
  const { rows, total } = await readDedupJobs(services.db, { page, limit });
  return { status: 200, body: { results: rows.map(presentJob), pagination: paginationOf(page, limit, total) } };
};

/** People look at all that is a likely duplicate; what is merged unseen is surer. */
const wishToMerge = (mergeFrom: number): ScanWish => ({ threshold: Math.min(DETECTED_FROM, mergeFrom), mergeFrom });

function requireCategory({ catalog, profile }: Services, category: string): void {
  if (catalog.find(category)) return;
  throw invalid(
    `There is no category '${category}'.`,
    [{ path: '/body/category', message: 'must be the id of a category' }],
    profile.unknownCategoryListsIds ? { valid_categories: catalog.validIds() } : {},
  );
}

/** A leap second fits the format, and no calendar here. */
function requireMoment(since: string): string {
  const moment = new Date(since);
  if (Number.isNaN(moment.getTime()))
    throw invalid('The moment is not valid.', [
      { path: '/body/since', message: 'must be a moment that the calendar has' },
    ]);
  return moment.toISOString();
}

async function scan(
  services: Services,
  wish: ScanWish,
  startedBy: string,
  prefer: string | undefined,
): Promise<Outcome> {
  const { db, jobs, clock } = services;
  // By itself: a worker has to find it while this waits.
  const start = () =>
    inTransaction(db, (tx) => startScanRun(tx, jobs, wish, startedBy, clock.now()), { autonomous: true });
  // The same scan may have been started at this very moment: then it is joined.
  const { runId, jobId } = await start().catch((error: unknown) => {
    if (error instanceof ServiceError && error.code === 'conflict') return start();
    throw error;
  });
  const { respondAsync, waitSeconds } = readPreference(prefer, MAX_WAIT_SECONDS);
  const run = await waitFor(services, runId, respondAsync ? 0 : waitSeconds * SECOND_MS);
  if (run?.status === 'succeeded') return { run };
  if (run?.status === 'failed')
    throw unavailable(`The scan has failed: ${run.error ?? 'for no reason that is known'}.`);
  if (run?.status === 'cancelled') throw unavailable('The scan was cancelled.');
  const applied: Record<string, string> = respondAsync ? { 'Preference-Applied': 'respond-async' } : {};
  const status = run?.status === 'running' ? 'running' : 'queued';
  return { accepted: { job_id: jobId, status }, headers: applied };
}

/** The run when it has ended, or as it is when nobody waits any longer. */
async function waitFor(services: Services, runId: string, waitMs: number): Promise<DedupRun | undefined> {
  const until = performance.now() + waitMs;
  for (let pause = FIRST_LOOK_MS; ; pause = Math.min(LOOK_MS, pause * 1.5)) {
    const run = await readRun(services.db, runId);
    if (run?.finished_at || performance.now() >= until) return run;
    await sleep(Math.min(pause, Math.max(0, until - performance.now())));
  }
}
