import '../shared/boot/require-node.js';
import { exitOnRefusal, exitRefused, readConfigOrExit } from '../shared/kit/config.ts';
import { createDatabaseClock } from '../shared/kit/database-clock.ts';
import { createRunnerBoss, workQueues } from '../shared/queues/runner.ts';
import { runReaders } from '../shared/journal/runner.ts';
import { createLogger } from '../shared/kit/log.ts';
import { registerPool } from '../shared/boot/fleet-metrics.ts';
import { createJobMetrics, createRegistry, publishMetrics } from '../shared/kit/metrics.ts';
import { syncBackupSchedule } from '../shared/backup/backup-schedule.ts';
import { prepare } from '../shared/boot/prepare.ts';
import { areRatesOld } from '../shared/rates/refresh-rates.ts';
import { notifyReady } from '../shared/kit/ready.ts';
import { onShutdown } from '../shared/kit/shutdown.ts';
import { startTracing } from '../shared/kit/start-tracing.ts';
import { chooseHandlers } from './handlers.ts';
import { journalReaders } from './journal-readers.ts';
import { createWorkerServices } from './services.ts';

const given = readConfigOrExit();
const handlers = exitOnRefusal(() => chooseHandlers(given.queues));
const config = await prepare(given);
const log = createLogger('workers', config.logLevel, { traced: config.tracing !== undefined });
const tracing = await startTracing('workers', config.tracing, log);
const registry = createRegistry('workers');
const boss = await createRunnerBoss(config.directDatabaseUrl, log);
const clock = createDatabaseClock();
const { services, stop } = await createWorkerServices(config, log, boss, clock, registry);
const following = await clock.follow(services.pool, log);
registerPool(registry, services.pool);
const shared = publishMetrics(services.pool, registry, 'workers', log);
// A job may begin before the last queue is worked: whoever stops the process then waits until all of it can be stopped.
onShutdown(log, work(), { timeoutMs: config.deadlines.processStop });

async function work() {
  const metrics = createJobMetrics(registry);
  const runner = await workQueues(boss, handlers, services, {
    pool: services.pool,
    log,
    metrics,
    deadlines: config.deadlines,
  });
  // A deployment may have changed what documents are like, and the index may have lost them.
  if (services.searchIndex) await boss.send('reconcile-search-index', {}, { singletonKey: 'start' });
  if (config.ratesUrl !== undefined && (await areRatesOld(services.pool, clock.now())))
    await boss.send('refresh-rates', {}, { singletonKey: 'start' });
  await syncBackupSchedule(boss, config.backupSchedule).catch(exitRefused);
  const readers = await runReaders(config.directDatabaseUrl, services, journalReaders);
  log.info({ queues: Object.keys(handlers) }, 'working');
  notifyReady();
  const ends = [() => readers.stop(), () => runner.stop(), () => shared.stop(), async () => following.stop(), stop];
  return [...ends, () => tracing.stop()];
}
