import { resumeErasures } from '../shared/leaving/erase-run.ts';
import { deleteOldExports } from '../shared/leaving/export.ts';
import type { JobHandler } from '../shared/queues/runner.ts';
import type { WorkerServices } from './services.ts';

/** Goes on with erasures that have stopped, sweeps once more behind those that are done, and deletes the archives that nobody can fetch any more. */
export const sweepLeavings: JobHandler<WorkerServices, 'sweep-leavings'> = async (services) => ({
  resumed: await resumeErasures(services),
  exports_deleted: await deleteOldExports(services),
});
