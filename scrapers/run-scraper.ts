import { inTransaction } from '../db/client.ts';
import { MINUTE_MS } from '../shared/kit/clock.ts';
import { ServiceError } from '../shared/kit/errors.ts';
import type { JobHandler } from '../shared/queues/runner.ts';
import { beginRun, endRun } from '../shared/runs/runs.ts';
import { dropHeld, judgeCrawl, readHistory } from '../shared/scrapers/quarantine.ts';
import { openScraperRun } from '../shared/scrapers/runs.ts';
import { crawlInProcess, CrawlLost } from './crawl/process.ts';
import type { ParentRpc } from './crawl/protocol.ts';
import { crawlSettingsOf, type CrawlEnd, type CrawlSpec } from './crawl/spec.ts';
import { createKnownPages, rulesOf } from './crawl/known-pages.ts';
import { createSharedPace, createSharedRobots } from './politeness/pace-shared.ts';
import { applyNews, type RunBeingWorked } from './crawl/run-news.ts';
import type { ScraperServices } from './services.ts';

/** Half an hour before the job expires. */
const TIME_LIMIT_MS = 330 * MINUTE_MS;

/**
 * Crawls the site of one scraper and queues every record it finds. A job of a schedule opens its run itself, and does
 * nothing while another one is live. A process that stops hands the run on, and the next one goes on where it was.
 */
export const runScraper: JobHandler<ScraperServices, 'run-scraper'> = async (
  services,
  payload,
  { signal, log, jobId },
) => {
  const runId = payload.run_id ?? (await openScheduledRun(services, payload.scraper_id, jobId));
  if (runId === undefined) return { skipped: 'the scraper is disabled, gone or running already' };
  const run = await takeRun(services, runId, payload.scraper_id);
  if (!run) return { run_id: runId, skipped: 'the run has ended' };

  const cancelled = new AbortController();
  const pace = createSharedPace(services.pool, services.clock);
  const robots = createSharedRobots(services.pool, services.clock);
  const rpc: ParentRpc = {
    ...pace,
    readRobots: robots.read,
    writeRobots: robots.write,
    readPages: createKnownPages(services.pool, services.clock, run.scraperId, rulesOf(run.spec)),
    report: async (news) => {
      if (await applyNews(services, run, news)) cancelled.abort();
    },
  };
  log.info({ run_id: runId, scraper_id: payload.scraper_id, resumed: run.spec.resume !== undefined }, 'crawl starts');
  let end: CrawlEnd;
  try {
    end = await crawlInProcess(run.spec, crawlSettingsOf(services.config, { timeLimitMs: TIME_LIMIT_MS }), rpc, {
      signal: AbortSignal.any([signal, cancelled.signal]),
    });
  } catch (error) {
    if (!(error instanceof CrawlLost)) throw error;
    end = { outcome: 'failed', reason: error.message };
  }
  if (end.outcome === 'stopped' && !cancelled.signal.aborted) return handOn(services, run, jobId);
  await settleEnd(services, run, end);
  log.info({ run_id: runId, ...end }, 'crawl ended');
  return { run_id: runId, ...end };
};

/** The live run that this job opened, in an earlier try, or a new one; undefined when none is to be opened. */
async function openScheduledRun(
  { db, clock }: ScraperServices,
  scraperId: string,
  jobId: string,
): Promise<string | undefined> {
  const known = await db
    .selectFrom('runs')
    .select('id')
    .where('kind', '=', 'scraper')
    .where('subject', '=', scraperId)
    .where('job_id', '=', jobId)
    .executeTakeFirst();
  if (known) return known.id;
  const scraper = await db
    .selectFrom('scrapers')
    .select('owner_id')
    .where('id', '=', scraperId)
    .where('enabled', '=', true)
    .executeTakeFirst();
  if (!scraper) return undefined;
  try {
    return await inTransaction(db, async (tx) => {
      const id = await openScraperRun(tx, { scraperId, trigger: 'schedule', startedBy: scraper.owner_id }, clock.now());
      await tx.updateTable('runs').set({ job_id: jobId }).where('id', '=', id).execute();
      return id;
    });
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'conflict') return undefined;
    throw error;
  }
}

async function takeRun(
  { db, clock }: ScraperServices,
  runId: string,
  scraperId: string,
): Promise<RunBeingWorked | undefined> {
  if (!(await beginRun(db, runId, clock.now()))) return undefined;
  const scraper = await db.selectFrom('scrapers').selectAll().where('id', '=', scraperId).executeTakeFirst();
  if (!scraper) {
    const end = { status: 'failed', error: 'The scraper is gone.' } as const;
    await inTransaction(db, (tx) => endRun(tx, runId, end, clock.now()));
    return undefined;
  }
  const { id, owner_id: ownerId, name: _name, created_at: _created, updated_at: _updated, ...settings } = scraper;
  // The first process to take a run writes down what it crawls by; a change of the scraper is for the next run.
  const { params, cursor } = await db
    .updateTable('runs')
    .set((eb) => ({
      params: eb.case().when('params', '=', '{}').then(JSON.stringify(settings)).else(eb.ref('params')).end(),
    }))
    .where('id', '=', runId)
    .returning(['params', 'cursor'])
    .executeTakeFirstOrThrow();
  const spec = { ...(params as object), ...(cursor !== null && { resume: cursor }) } as CrawlSpec;
  return { id: runId, scraperId: id, ownerId, spec, history: await readHistory(db, runId, id), titles: new Set() };
}

/** A crawl that was cancelled has ended already; its run says so. */
async function settleEnd({ db, jobs, clock }: ScraperServices, run: RunBeingWorked, end: CrawlEnd): Promise<void> {
  await inTransaction(db, async (tx) => {
    if (end.outcome === 'finished') await judgeCrawl(tx, jobs, run, clock.now());
    if (end.outcome === 'failed') await endRun(tx, run.id, { status: 'failed', error: end.reason }, clock.now());
  });
  await dropHeld(db);
}

/**
 * What becomes of a run whose job was told to stop: a draining process queues it again (that costs no retry of the job), a
 * cancelled job cancels it, an expired one fails it. A job that the queue has taken back already comes again by itself.
 */
async function handOn(
  { db, pool, jobs, clock }: ScraperServices,
  { id, scraperId }: RunBeingWorked,
  jobId: string,
): Promise<object> {
  const { rows } = await pool.query<{ state: string }>(
    `select state from pgboss.job where name = 'run-scraper' and id = $1`,
    [jobId],
  );
  const state = rows[0]?.state ?? 'failed';
  return inTransaction(db, async (tx) => {
    const now = clock.now();
    if (state === 'cancelled') await endRun(tx, id, { status: 'cancelled' }, now);
    if (state === 'failed') await endRun(tx, id, { status: 'failed', error: 'The crawl took too long.' }, now);
    if (state !== 'active') return { run_id: id, outcome: 'stopped' };
    const next = await jobs.enqueue(tx, 'run-scraper', { run_id: id, scraper_id: scraperId });
    await tx.updateTable('runs').set({ job_id: next, updated_at: now }).where('id', '=', id).execute();
    return { run_id: id, outcome: 'handed on', job_id: next };
  });
}
