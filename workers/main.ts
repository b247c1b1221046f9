import { readConfigOrExit } from '../shared/config.ts';
import { createRunnerBoss, workQueues } from '../shared/job-runner.ts';
import { runReaders } from '../shared/journal-runner.ts';
import { createLogger } from '../shared/log.ts';
import { createJobMetrics, createRegistry, publishMetrics } from '../shared/metrics.ts';
import { prepare } from '../shared/prepare.ts';
import { onShutdown } from '../shared/shutdown.ts';
import { chooseHandlers } from './handlers.ts';
import { journalReaders } from './journal-readers.ts';
import { createWorkerServices } from './services.ts';

const config = await prepare(readConfigOrExit());
const log = createLogger('workers', config.logLevel);
const handlers = chooseHandlers(config.queues);
const registry = createRegistry('workers');
const boss = await createRunnerBoss(config.databaseUrl, log);
const { services, stop } = await createWorkerServices(config, log, boss);
const shared = publishMetrics(services.pool, registry, 'workers', log);
const runner = await workQueues(boss, handlers, services, {
  pool: services.pool,
  log,
  metrics: createJobMetrics(registry),
});
const readers = await runReaders(config.databaseUrl, services, journalReaders);
log.info({ queues: Object.keys(handlers) }, 'working');

onShutdown(log, [() => readers.stop(), () => runner.stop(), () => shared.stop(), stop], { timeoutMs: 15_000 });
