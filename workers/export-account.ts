import { workExport } from '../shared/leaving/export-run.ts';
import type { JobHandler } from '../shared/queues/runner.ts';
import type { WorkerServices } from './services.ts';

/** Writes all that is held of one person into an archive, and mails them the link to it. */
export const exportAccount: JobHandler<WorkerServices, 'export-account'> = (services, { run_id: runId }, job) =>
  workExport(services, runId, job);
