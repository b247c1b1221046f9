import { noCounts, type DedupRun, type ScanWish } from '../../shared/dedup/runs.ts';
import { readCounters } from '../../shared/runs/runs.ts';
import type { Result } from '../http/types.ts';

type Job = Result<'listDedupJobs', 200>['results'][number];

const noJob: Result<'getDedupJob', 200> = {
  running: false,
  job_id: null,
  state: 'idle',
  started_at: null,
  progress_percent: 0,
  listings_scanned: 0,
  total: 0,
  groups_detected: 0,
  last_error: null,
};

/** What a scan that has ended found: DedupScannedAndMerged of openapi.yaml. */
export function presentScanned(run: DedupRun): Result<'scanAndMergeDedup', 200> {
  const { listings_scanned, pairs_compared, groups_detected, groups_merged } = readCounters(noCounts, run.counters);
  const duration_ms = Math.max(0, (run.finished_at?.getTime() ?? 0) - (run.started_at ?? run.created_at).getTime());
  return { listings_scanned, pairs_compared, groups_detected, groups_merged, duration_ms };
}

/** Where the background job is: DedupJobStatus of openapi.yaml. */
export function presentStatus(run: DedupRun | undefined): Result<'getDedupJob', 200> {
  if (!run) return noJob;
  const { listings, listings_scanned, groups_detected, done } = readCounters(noCounts, run.counters);
  const share = run.total ? Math.min(0.999, done / run.total) : 0;
  return {
    running: isLive(run),
    job_id: run.job_id,
    state: stateOf(run),
    started_at: run.started_at?.toISOString() ?? null,
    progress_percent: run.status === 'succeeded' ? 100 : Math.round(share * 1_000) / 10,
    listings_scanned,
    total: listings,
    groups_detected,
    last_error: errorOf(run),
  };
}

/** One background job: DedupJob of openapi.yaml. */
export function presentJob(run: DedupRun): Job {
  const { listings, listings_scanned, pairs_compared, groups_detected, groups_merged } = readCounters(
    noCounts,
    run.counters,
  );
  const { threshold, mergeFrom } = run.params as ScanWish;
  return {
    job_id: run.job_id,
    state: stateOf(run),
    threshold: mergeFrom ?? threshold,
    auto_merge: mergeFrom !== null,
    started_by: run.started_by,
    created_at: run.created_at.toISOString(),
    started_at: run.started_at?.toISOString() ?? null,
    finished_at: run.finished_at?.toISOString() ?? null,
    listings_scanned,
    total: listings,
    pairs_compared,
    groups_detected,
    groups_merged,
    last_error: errorOf(run),
  };
}

const isLive = ({ status }: DedupRun) => status === 'queued' || status === 'running';

function stateOf(run: DedupRun): Job['state'] {
  if (isLive(run) && run.stop_requested_at !== null) return 'stopping';
  if (run.status === 'queued' || run.status === 'running' || run.status === 'failed') return run.status;
  return run.status === 'succeeded' ? 'completed' : 'stopped';
}

const errorOf = ({ error, last_error: lastError }: DedupRun) => error ?? lastError;
