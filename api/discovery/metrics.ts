import { renderFleetMetrics } from '../../shared/kit/metrics.ts';
import type { Handler } from '../handler.ts';

/** The metrics of the whole fleet in Prometheus' text format. */
export const getMetrics: Handler<'getMetrics'> = async (services) => ({
  status: 200,
  body: { text: await renderFleetMetrics(services), type: 'text/plain; version=0.0.4; charset=utf-8' },
});
