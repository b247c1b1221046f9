import { writeMetricSample } from '../shared/admin/metric-samples.ts';
import type { JobHandler } from '../shared/queues/runner.ts';
import type { WorkerServices } from './services.ts';

/** Keeps what the fleet has counted so far, for the plots of the console. */
export const sampleMetrics: JobHandler<WorkerServices, 'sample-metrics'> = ({ pool, clock }) =>
  writeMetricSample(pool, clock.now());
