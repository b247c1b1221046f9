import type { JobHandler } from '../shared/queues/runner.ts';
import { workLearning } from './learn/learn-run.ts';
import type { ScraperServices } from './services.ts';

/** Looks at some pages of a site, as politely as a crawl, and proposes a scraper for it. */
export const learnSite: JobHandler<ScraperServices, 'learn-site'> = (services, { run_id: runId }, job) =>
  workLearning(services, runId, job);
