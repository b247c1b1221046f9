import type { JobHandler } from '../shared/queues/runner.ts';
import { migrateBatch } from '../shared/rewriting/migrate-batch.ts';
import type { WorkerServices } from './services.ts';

/** One batch of the migration: each listing counts once, however often it is killed and repeated. */
export const rewriteMigration: JobHandler<WorkerServices, 'rewrite-migration'> = (services, { run_id }, { signal }) =>
  migrateBatch(services, run_id, signal);
