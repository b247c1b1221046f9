import { SpanKind } from '@opentelemetry/api';
import type { JobResult } from 'pg-boss';
import { currentCarrier, fail, inSpan, inSpanAfter, type TraceCarrier } from '../kit/tracing.ts';

/** The field of a job's data that names the span which has queued it; payloads leave it out. */
const TRACE_FIELD = 'trace';

type Traced = <Payload>(payload: Payload) => Payload;

/** Queues jobs in a span of the trace under way, which they go on with where they are worked: `send` hands them on as `traced` makes them. */
export function inSendSpan<T>(queue: string, jobs: number, send: (traced: Traced) => Promise<T>): Promise<T> {
  const attributes = {
    ...destinationOf(queue, 'send'),
    ...(jobs > 1 && { 'messaging.batch.message_count': jobs }),
  };
  return inSpan(`send ${queue}`, { kind: SpanKind.PRODUCER, attributes }, async (span) => {
    const carrier = currentCarrier();
    const sent = await send((payload) => withTrace(payload, carrier));
    if (jobs === 1 && typeof sent === 'string') span?.setAttribute('messaging.message.id', sent);
    return sent;
  });
}

/** Works a job in a span: of the trace that has queued it, or one that begins with it. */
export function inJobSpan(
  queue: string,
  { id, data, retryCount }: { id: string; data: unknown; retryCount: number },
  work: () => Promise<JobResult>,
): Promise<JobResult> {
  const carrier = (data as Record<string, unknown> | null)?.[TRACE_FIELD];
  const attributes = {
    ...destinationOf(queue, 'process'),
    'messaging.message.id': id,
    'quayside.job.attempt': retryCount,
  };
  return inSpanAfter(carrier, `process ${queue}`, { kind: SpanKind.CONSUMER, attributes }, async (span) => {
    const result = await work();
    if (span && result.status !== 'completed') fail(span, result.status);
    return result;
  });
}

const destinationOf = (queue: string, operation: 'send' | 'process') => ({
  'messaging.system': 'pg-boss',
  'messaging.destination.name': queue,
  'messaging.operation.name': operation,
  'messaging.operation.type': operation,
});

const withTrace = <Payload>(payload: Payload, carrier: TraceCarrier | undefined): Payload =>
  carrier ? { ...payload, [TRACE_FIELD]: carrier } : payload;
