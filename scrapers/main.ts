import { readConfigOrExit } from '../shared/config.ts';
import { createRunnerBoss, workQueues, type JobHandler } from '../shared/job-runner.ts';
import { createLogger } from '../shared/log.ts';
import { createJobMetrics, createRegistry, publishMetrics } from '../shared/metrics.ts';
import { prepare } from '../shared/prepare.ts';
import type { QueueOf } from '../shared/queues.ts';
import { syncSchedules } from '../shared/scrapers/schedules.ts';
import { onShutdown } from '../shared/shutdown.ts';
import { publishScraped } from './publish-scraped.ts';
import { endLostRuns } from './run-scraper-lost.ts';
import { runScraper } from './run-scraper.ts';
import { createScraperServices, type ScraperServices } from './services.ts';

const CARE_EVERY_MS = 30_000;

/** Every queue of this process and its handler: a missing or an extra one does not compile. */
const handlers: { [Name in QueueOf<'scrapers'>]: JobHandler<ScraperServices, Name> } = {
  'publish-scraped': publishScraped,
  'run-scraper': runScraper,
};

const config = await prepare(readConfigOrExit());
const log = createLogger('scrapers', config.logLevel);
const registry = createRegistry('scrapers');
const boss = await createRunnerBoss(config.databaseUrl, log);
const { services, stop } = createScraperServices(config, log, boss);
const shared = publishMetrics(services.pool, registry, 'scrapers', log);
const runner = await workQueues(boss, handlers, services, {
  pool: services.pool,
  log,
  metrics: createJobMetrics(registry),
});
let caring: Promise<void> = Promise.resolve();
const timer = setInterval(takeCare, CARE_EVERY_MS);
takeCare();
log.info({ queues: Object.keys(handlers) }, 'working');

onShutdown(log, [stopCaring, () => runner.stop(), () => shared.stop(), stop], { timeoutMs: 15_000 });

function takeCare(): void {
  caring = caring
    .then(mend)
    .catch((error: unknown) => log.warn({ err: error }, 'runs and schedules could not be looked after'));
}

/** Mends what crashes leave: runs that nobody works, schedules out of step with their scrapers. */
async function mend(): Promise<void> {
  const ended = await endLostRuns(services);
  if (ended > 0) log.warn({ runs: ended }, 'ended runs that nobody worked');
  await syncSchedules(boss, services.db);
}

async function stopCaring(): Promise<void> {
  clearInterval(timer);
  await caring;
}
