import type { JobHandler } from '../shared/queues/runner.ts';
import { workMigration } from '../shared/rewriting/work-migration.ts';
import type { WorkerServices } from './services.ts';

/** Rewrites the listings that lack texts. */
export const rewriteMigration: JobHandler<WorkerServices, 'rewrite-migration'> = (services, { run_id }, job) =>
  workMigration(services, run_id, job);
