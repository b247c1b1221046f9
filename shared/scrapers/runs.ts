import { sql, type Selectable } from 'kysely';
import type { Runs } from '../../db/types.gen.ts';
import { conflict } from '../kit/errors.ts';
import type { Jobs, Tx } from '../queues/jobs.ts';
import { countInRun, endRun, openRun } from '../runs/runs.ts';

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
};

export type ScraperCounts = typeof noCounts;

/** The counters of a run as numbers, whatever the row holds. */
export function scraperCountsOf(run: Pick<Selectable<Runs>, 'counters'>): ScraperCounts {
  const stored = (run.counters ?? {}) as Partial<Record<string, unknown>>;
  const number = (name: string) => (typeof stored[name] === 'number' ? stored[name] : 0);
  return Object.fromEntries(Object.keys(noCounts).map((name) => [name, number(name)])) as ScraperCounts;
}

type NewScraperRun = { scraperId: string; trigger: 'manual' | 'schedule'; startedBy: string };

/** Opens a run of a scraper and queues its job, in one transaction; 409 while another is queued or running. */
export async function queueScraperRun(
  tx: Tx,
  jobs: Pick<Jobs, 'enqueue'>,
  run: NewScraperRun,
  now: Date,
): Promise<string> {
  const runId = await openScraperRun(tx, run, now);
  const jobId = await jobs.enqueue(tx, 'run-scraper', { run_id: runId, scraper_id: run.scraperId });
  await tx.updateTable('runs').set({ job_id: jobId }).where('id', '=', runId).execute();
  return runId;
}

/** Opens a run of a scraper whose job is there already; 409 while another is queued or running. */
export function openScraperRun(tx: Tx, { scraperId, trigger, startedBy }: NewScraperRun, now: Date): Promise<string> {
  return openRun(tx, { kind: 'scraper', subject: scraperId, trigger, startedBy, counters: noCounts }, now);
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
  outcome: RecordOutcome,
  now: Date,
): Promise<void> {
  await countInRun(tx, runId, { [outcome]: 1 }, now);
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
  const counts = scraperCountsOf(run);
  if (outcomes.reduce((sum, outcome) => sum + counts[outcome], 0) < run.total) return;
  const mayPublish = run.status === 'succeeded' || (await endRun(tx, runId, { status: 'succeeded' }, now));
  if (mayPublish) await queuePublishing(tx, jobs, run.subject);
}

async function queuePublishing(tx: Tx, jobs: Pick<Jobs, 'enqueue'>, scraperId: string): Promise<void> {
  const scraper = await tx.selectFrom('scrapers').select('auto_publish').where('id', '=', scraperId).executeTakeFirst();
  if (scraper?.auto_publish) await jobs.enqueue(tx, 'publish-scraped', { scraper_id: scraperId }, { key: scraperId });
}
