import '../shared/boot/require-node.js';
import { readConfigOrExit } from '../shared/kit/config.ts';
import { createDatabaseClock } from '../shared/kit/database-clock.ts';
import { createRunnerBoss, workQueues, type JobHandler } from '../shared/queues/runner.ts';
import { createLogger } from '../shared/kit/log.ts';
import { registerPool } from '../shared/boot/fleet-metrics.ts';
import { createJobMetrics, createRegistry, publishMetrics } from '../shared/kit/metrics.ts';
import { prepare } from '../shared/boot/prepare.ts';
import type { QueueOf } from '../shared/queues/queues.ts';
import { notifyReady } from '../shared/kit/ready.ts';
import { dropHeld } from '../shared/scrapers/quarantine.ts';
import { syncSchedules } from '../shared/scrapers/schedules.ts';
import { onShutdown } from '../shared/kit/shutdown.ts';
import { startTracing } from '../shared/kit/start-tracing.ts';
import { learnSite } from './learn-site.ts';
import { publishScraped } from './publish-scraped.ts';
import { refreshListing } from './refresh-listing.ts';
import { endLostCrawls } from './crawl/run-lost.ts';
import { dropQueues } from './crawl/run-news.ts';
import { runScraper } from './run-scraper.ts';
import { tryPage } from './try-page.ts';
import { createScraperServices, type ScraperServices } from './services.ts';

const CARE_EVERY_MS = 30_000;

/** Every queue of this process and its handler: a missing or an extra one does not compile. */
const handlers: { [Name in QueueOf<'scrapers'>]: JobHandler<ScraperServices, Name> } = {
  'learn-site': learnSite,
  'publish-scraped': publishScraped,
  'refresh-listing': refreshListing,
  'run-scraper': runScraper,
  'try-page': tryPage,
};

const config = await prepare(readConfigOrExit());
const log = createLogger('scrapers', config.logLevel, { traced: config.tracing !== undefined });
const tracing = await startTracing('scrapers', config.tracing, log);
const registry = createRegistry('scrapers');
const boss = await createRunnerBoss(config.directDatabaseUrl, log);
const clock = createDatabaseClock();
const { services, stop } = await createScraperServices(config, log, boss, clock);
const following = await clock.follow(services.pool, log);
registerPool(registry, services.pool);
const shared = publishMetrics(services.pool, registry, 'scrapers', log);
let caring: Promise<void> = Promise.resolve();
const timer = setInterval(takeCare, CARE_EVERY_MS);
takeCare();
// A crawl may begin before the last queue is worked: whoever stops the process then waits until all of it can be stopped.
onShutdown(log, work(), { timeoutMs: config.deadlines.processStop });

async function work() {
  const metrics = createJobMetrics(registry);
  const runner = await workQueues(boss, handlers, services, {
    pool: services.pool,
    log,
    metrics,
    deadlines: config.deadlines,
  });
  log.info({ queues: Object.keys(handlers) }, 'working');
  notifyReady();
  const ends = [stopCaring, () => runner.stop(), () => shared.stop(), async () => following.stop(), stop];
  return [...ends, () => tracing.stop()];
}

function takeCare(): void {
  caring = caring
    .then(mend)
    .catch((error: unknown) => log.warn({ err: error }, 'runs and schedules could not be looked after'));
}

/** Mends what crashes leave: runs that nobody works, what they held back and queued, schedules out of step with their scrapers. */
async function mend(): Promise<void> {
  const ended = await endLostCrawls(services);
  if (ended > 0) log.warn({ runs: ended }, 'ended runs that nobody worked');
  await dropHeld(services.db);
  await dropQueues(services.db);
  await syncSchedules(boss, services.db);
}

async function stopCaring(): Promise<void> {
  clearInterval(timer);
  await caring;
}
