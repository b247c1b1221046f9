import { Counter, Histogram, type Registry } from 'prom-client';

/** Request metrics: `quayside_http_requests_total{operation,method,status}` and `quayside_http_request_duration_seconds{operation}`. */
export function createHttpMetrics(registry: Registry) {
  const requests = new Counter({
    name: 'quayside_http_requests_total',
    help: 'Requests answered, by operation, method and status.',
    labelNames: ['operation', 'method', 'status'] as const,
    registers: [registry],
  });
  const duration = new Histogram({
    name: 'quayside_http_request_duration_seconds',
    help: 'Time from the request line to the end of the answer.',
    labelNames: ['operation'] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  // Looking a series up by its labels costs more than counting; there are a few hundred of them.
  const counters = new Map<string, Counter.Internal>();
  const timers = new Map<string, Histogram.Internal<'operation'>>();
  return {
    observe(operation: string, method: string, status: number, seconds: number): void {
      const key = `${operation} ${method} ${status}`;
      let counter = counters.get(key);
      if (!counter) counters.set(key, (counter = requests.labels({ operation, method, status })));
      let timer = timers.get(operation);
      if (!timer) timers.set(operation, (timer = duration.labels({ operation })));
      counter.inc();
      timer.observe(seconds);
    },
  };
}

export type HttpMetrics = ReturnType<typeof createHttpMetrics>;
