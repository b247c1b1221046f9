import { readTimeSeries, seriesRanges } from '../../shared/admin/time-series.ts';
import type { Handler } from '../handler.ts';

/** The fleet over time: traffic, latency, queues, publications and sales. */
export const getTimeSeries: Handler<'getTimeSeries'> = async ({ pool, clock }, { query: { range = 'hour' } }) => {
  const points = await readTimeSeries(pool, range, clock.now());
  return {
    status: 200,
    body: {
      range,
      step_seconds: seriesRanges[range].stepMs / 1_000,
      points: points.map(({ at, ...point }) => ({ at: at.toISOString(), ...point })),
    },
  };
};
