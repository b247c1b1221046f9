import { Registry } from 'prom-client';
import { learnSite } from '../../scrapers/learn-site.ts';
import { publishScraped } from '../../scrapers/publish-scraped.ts';
import { refreshListing } from '../../scrapers/refresh-listing.ts';
import { runScraper } from '../../scrapers/run-scraper.ts';
import { tryPage } from '../../scrapers/try-page.ts';
import { createScraperServices, type ScraperServices } from '../../scrapers/services.ts';
import type { QueueOf } from '../../shared/queues/queues.ts';
import { createRunnerBoss, workQueues, type JobHandler } from '../../shared/queues/runner.ts';
import { createJobMetrics } from '../../shared/kit/metrics.ts';
import { ingestRecord } from '../../workers/ingest-record.ts';
import { localizeImages } from '../../workers/localize-images.ts';
import { createWorkerServices } from '../../workers/services.ts';
import type { Client, Json, TestApp } from '../support/app.ts';
import { systemClock } from '../../shared/kit/clock.ts';
import { waitFor } from '../support/waiting.ts';
import { inThisProcess } from './isolation.ts';

export type Fleet = { services: ScraperServices; stop(): Promise<void> };

const handlers: { [Name in QueueOf<'scrapers'>]: JobHandler<ScraperServices, Name> } = {
  'learn-site': learnSite,
  'publish-scraped': publishScraped,
  'refresh-listing': refreshListing,
  'run-scraper': runScraper,
  'try-page': tryPage,
};

/** The scrapers process and what it needs of the workers, in this process, on the database of an app. */
export async function startFleet(app: TestApp): Promise<Fleet> {
  const { config, log } = app.services;
  const parts = () => ({ log, metrics: createJobMetrics(new Registry()), pool: app.database.pool });
  const scrapersBoss = await createRunnerBoss(config.databaseUrl, log);
  const scrapers = await createScraperServices(config, log, scrapersBoss, systemClock, inThisProcess);
  const scraping = await workQueues(scrapersBoss, handlers, scrapers.services, parts());
  const workersBoss = await createRunnerBoss(config.databaseUrl, log);
  const workers = await createWorkerServices(config, log, workersBoss);
  const working = await workQueues(
    workersBoss,
    { 'ingest-record': ingestRecord, 'localize-images': localizeImages },
    workers.services,
    parts(),
  );
  return {
    services: scrapers.services,
    async stop() {
      await Promise.all([scraping.stop(), working.stop()]);
      await Promise.all([scrapers.stop(), workers.stop()]);
    },
  };
}

/** Asks until the answer satisfies. */
export const until = <T>(ask: () => Promise<T>, satisfies: (answer: T) => boolean): Promise<T> =>
  waitFor(async () => {
    const answer = await ask();
    if (!satisfies(answer)) throw new Error(`this never came true: ${JSON.stringify(answer)}`);
    return answer;
  });

/** Starts a run and waits for its end. */
export async function runToItsEnd(admin: Client, scraperId: string): Promise<Json> {
  const { body: run } = await admin.post(`/api/admin/scrapers/${scraperId}/runs`);
  return until(
    async () =>
      (await admin.get(`/api/admin/scrapers/${scraperId}/runs`)).body.results.find((each: Json) => each.id === run.id),
    (each) => ['succeeded', 'failed', 'cancelled'].includes(each.status),
  );
}
