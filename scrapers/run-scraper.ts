import type { JobHandler } from '../shared/queues/runner.ts';
import { findRunOfJob, openRunOfJob } from '../shared/runs/control.ts';
import { newScraperRun } from '../shared/scrapers/runs.ts';
import { workCrawl } from './crawl/crawl-run.ts';
import type { ScraperServices } from './services.ts';

/**
 * Crawls the site of one scraper, or reads its feed, and queues every record it finds. A job of a schedule opens its run itself, and does
 * nothing while another one is live.
 */
export const runScraper: JobHandler<ScraperServices, 'run-scraper'> = async (services, payload, job) => {
  const runId = payload.run_id ?? (await openScheduledRun(services, payload.scraper_id, job.jobId));
  if (runId === undefined) return { skipped: 'the scraper is disabled, gone or running already' };
  if (!(await readsFeed(services, runId, payload.scraper_id)))
    return { run_id: runId, ...(await workCrawl(services, runId, job)) };
  const { workFeed } = await import('./feeds/feed-run.ts');
  return { run_id: runId, ...(await workFeed(services, runId, job)) };
};

/** The kind is that of the run's settings once it has them, so that a change of the scraper is for the next run. */
async function readsFeed({ db }: ScraperServices, runId: string, scraperId: string): Promise<boolean> {
  const run = await db.selectFrom('runs').select('params').where('id', '=', runId).executeTakeFirst();
  const { kind } = (run?.params ?? {}) as { kind?: string };
  if (kind !== undefined) return kind === 'feed';
  const scraper = await db.selectFrom('scrapers').select('kind').where('id', '=', scraperId).executeTakeFirst();
  return scraper?.kind === 'feed';
}

async function openScheduledRun(
  { db, clock }: ScraperServices,
  scraperId: string,
  jobId: string,
): Promise<string | undefined> {
  const known = await findRunOfJob(db, jobId, { kind: 'scraper', subject: scraperId });
  if (known !== undefined) return known;
  const scraper = await db
    .selectFrom('scrapers')
    .select('owner_id')
    .where('id', '=', scraperId)
    .where('enabled', '=', true)
    .executeTakeFirst();
  if (!scraper) return undefined;
  const run = newScraperRun({ scraperId, trigger: 'schedule', startedBy: scraper.owner_id });
  return openRunOfJob(db, jobId, run, clock.now());
}
