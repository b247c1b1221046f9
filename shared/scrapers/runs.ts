import { sql } from 'kysely';
import { conflict } from '../kit/errors.ts';
import type { Jobs, Tx } from '../queues/jobs.ts';
import { startRun } from '../runs/control.ts';
import { advanceRun, endRun, readCounters, type NewRun, type RunError } from '../runs/runs.ts';

/** What became of one record; each is counted once in its run. */
export type RecordOutcome = 'created' | 'updated' | 'unchanged' | 'skipped' | 'failed';

const outcomes = ['created', 'updated', 'unchanged', 'skipped', 'failed'] as const satisfies RecordOutcome[];

/** The counters of a crawl, all there from its start: pages asked for, records found on them, and what became of those. */
export const noCounts = {
  pages_fetched: 0,
  pages_skipped: 0,
  pages_gone: 0,
  pages_failed: 0,
  records_found: 0,
  created: 0,
  updated: 0,
  unchanged: 0,
  skipped: 0,
  failed: 0,
  /** Listings that expired because their page is gone. */
  withdrawn: 0,
};

export type ScraperCounts = typeof noCounts;

type NewScraperRun = {
  scraperId: string;
  trigger: 'manual' | 'schedule';
  startedBy: string;
  params?: Record<string, unknown>;
};

/** What a new run of a scraper is. */
export const newScraperRun = ({ scraperId, trigger, startedBy, params }: NewScraperRun): NewRun => ({
  kind: 'scraper',
  subject: scraperId,
  trigger,
  startedBy,
  counters: noCounts,
  ...(params && { params }),
});

/** Starts a run of a scraper; 409 while another is queued or running. */
export async function startScraperRun(
  tx: Tx,
  jobs: Pick<Jobs, 'enqueue'>,
  run: NewScraperRun,
  now: Date,
): Promise<string> {
  const payload = { scraper_id: run.scraperId };
  const { runId } = await startRun(tx, jobs, { ...newScraperRun(run), payload }, now);
  return runId;
}

/** Ends a live run as cancelled, with the counts it has; its crawl stops within about two seconds. 409 when it has ended. */
export async function cancelScraperRun(tx: Tx, runId: string, now: Date): Promise<void> {
  if (!(await endRun(tx, runId, { status: 'cancelled' }, now))) throw conflict('The run has ended already.');
  await tx.updateTable('runs').set({ stop_requested_at: now }).where('id', '=', runId).execute();
}

/** Counts what became of one record of a run, in the transaction that stored it, and ends the run when it was the last. */
export async function countRecord(
  tx: Tx,
  jobs: Pick<Jobs, 'enqueue'>,
  runId: string,
  { outcome, error }: { outcome: RecordOutcome; error?: RunError | undefined },
  now: Date,
): Promise<void> {
  await advanceRun(tx, runId, { count: { [outcome]: 1 }, errors: error ? [error] : [] }, now);
  await settleRun(tx, jobs, runId, now);
}

/** Notes that a crawl has read its last page, and ends its run if every record it found is counted already. */
export async function finishCrawl(tx: Tx, jobs: Pick<Jobs, 'enqueue'>, runId: string, now: Date): Promise<void> {
  await tx
    .updateTable('runs')
    .set({ total: sql`coalesce((counters->>'records_found')::int, 0)`, cursor: null, updated_at: now })
    .where('id', '=', runId)
    .execute();
  await settleRun(tx, jobs, runId, now);
}

/**
 * Ends a run as succeeded when its crawl is over and every record it found is counted: whoever comes last does it, and the
 * guarded update in endRun lets only one of them. What the scraper may publish by itself is queued with it; a run that was
 * accepted out of quarantine has ended by then, and only its publishing was left.
 */
export async function settleRun(tx: Tx, jobs: Pick<Jobs, 'enqueue'>, runId: string, now: Date): Promise<void> {
  const run = await tx
    .selectFrom('runs')
    .select(['subject', 'status', 'total', 'counters'])
    .where('id', '=', runId)
    .forUpdate()
    .executeTakeFirst();
  if (!run || run.total === null || (run.status !== 'running' && run.status !== 'succeeded')) return;
  const counts = readCounters(noCounts, run.counters);
  if (outcomes.reduce((sum, outcome) => sum + counts[outcome], 0) < run.total) return;
  const mayPublish = run.status === 'succeeded' || (await endRun(tx, runId, { status: 'succeeded' }, now));
  if (mayPublish) await queuePublishing(tx, jobs, run.subject);
}

async function queuePublishing(tx: Tx, jobs: Pick<Jobs, 'enqueue'>, scraperId: string): Promise<void> {
  const scraper = await tx.selectFrom('scrapers').select('auto_publish').where('id', '=', scraperId).executeTakeFirst();
  if (scraper?.auto_publish) await jobs.enqueue(tx, 'publish-scraped', { scraper_id: scraperId }, { key: scraperId });
}
