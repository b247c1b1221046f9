import { snapshotSlowFigures } from '../shared/admin/slow-figures.ts';
import type { JobHandler } from '../shared/queues/runner.ts';
import type { WorkerServices } from './services.ts';

/** Counts what administrators would wait for long, and keeps it until the next time; answers how long each took. */
export const keepFigures: JobHandler<WorkerServices, 'keep-figures'> = async (services, _payload, { signal }) => ({
  took_ms: await snapshotSlowFigures(services, signal),
});
