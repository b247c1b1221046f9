import { SpanKind } from '@opentelemetry/api';
import { inSpanAfter, type TraceCarrier } from '../kit/tracing.ts';

/**
 * Handles events in their order, those of each trace in a span of it, and all that come between without a trace together. Events
 * that are not of a sampled trace are therefore handled in batches as large as without traces.
 */
export async function handleByTrace<Event extends { trace?: TraceCarrier | null }>(
  reader: string,
  events: Event[],
  handle: (events: Event[]) => Promise<void>,
): Promise<void> {
  for (let start = 0; start < events.length;) {
    const trace = events[start]?.trace ?? undefined;
    let end = start + 1;
    while (end < events.length && events[end]?.trace?.traceparent === trace?.traceparent) end += 1;
    const together = events.slice(start, end);
    start = end;
    if (!trace) await handle(together);
    else {
      const attributes = {
        'messaging.system': 'quayside.journal',
        'messaging.destination.name': 'events',
        'messaging.consumer.group.name': reader,
        'messaging.operation.name': 'process',
        'messaging.operation.type': 'process',
        ...(together.length > 1 && { 'messaging.batch.message_count': together.length }),
      };
      await inSpanAfter(trace, 'process events', { kind: SpanKind.CONSUMER, attributes }, () => handle(together));
    }
  }
}
