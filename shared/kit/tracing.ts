import {
  context,
  createContextKey,
  defaultTextMapGetter,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Context,
  type Span,
  type SpanOptions,
} from '@opentelemetry/api';
import { z } from 'zod';

/** What spans of ours are told to come from. Until tracing begins, and where it never does, its spans are none. */
const tracer = trace.getTracer('quayside');

/** A trace ends with what began within the hour: what comes of it later has one of its own, which links back. */
const MAX_TRACE_MS = 3_600_000;

const sinceKey = createContextKey('quayside.since');

/** A span as it travels with what it caused: its W3C trace context, and when its trace reached this service (Unix milliseconds). */
export const traceCarrier = z.object({
  traceparent: z.string().max(128),
  tracestate: z.string().max(512).optional(),
  since: z.number(),
});

export type TraceCarrier = z.infer<typeof traceCarrier>;

type Work<T> = (span: Span | undefined) => Promise<T>;

/** Runs `work` in a span that ends with it, where a trace is under way; otherwise as it is. An error is told by its name alone. */
export function inSpan<T>(name: string, options: SpanOptions, work: Work<T>): Promise<T> {
  if (trace.getActiveSpan() === undefined) return work(undefined);
  return tracer.startActiveSpan(name, options, async (span) => endAfter(span, work));
}

/** As inSpan, but that the span goes on with the trace of `carrier`, or begins one when there is none or an old one. */
export function inSpanAfter<T>(carrier: unknown, name: string, options: SpanOptions, work: Work<T>): Promise<T> {
  const now = Date.now();
  const parsed = traceCarrier.safeParse(carrier);
  const origin = parsed.success ? propagation.extract(ROOT_CONTEXT, parsed.data) : ROOT_CONTEXT;
  const since = parsed.data?.since ?? now;
  const cause = trace.getSpanContext(origin);
  const isOld = now - since > MAX_TRACE_MS;
  const parent = isOld ? ROOT_CONTEXT.setValue(sinceKey, now) : origin.setValue(sinceKey, since);
  const links = isOld && cause ? [{ context: cause }] : [];
  return tracer.startActiveSpan(name, { ...options, links }, parent, async (span) => endAfter(span, work));
}

/** As inSpan, for a request to another server: `work` answers what the server did. Of the address host and port are told, no more. */
export function inClientSpan<T extends { status: number }>(
  method: string,
  url: string,
  work: () => Promise<T>,
): Promise<T> {
  return inSpan(method, { kind: SpanKind.CLIENT, attributes: { 'http.request.method': method } }, async (span) => {
    if (!span) return work();
    span.setAttributes(serverOf(url));
    const answer = await work();
    span.setAttribute('http.response.status_code', answer.status);
    if (answer.status >= 400) fail(span, String(answer.status));
    return answer;
  });
}

/** The attributes that name the server of an address. */
export function serverOf(url: string): Record<string, string | number> {
  const { hostname = '', port = '', protocol = '' } = URL.parse(url) ?? {};
  const usual = { 'http:': 80, 'https:': 443, 'smtp:': 25, 'smtps:': 465 }[protocol] ?? 0;
  return { 'server.address': hostname, 'server.port': Number(port) || usual };
}

/** The context that a request's headers carry, as one whose trace has reached this service now. */
export function contextOf(headers: Record<string, string | string[] | undefined>): Context {
  return propagation.extract(ROOT_CONTEXT, headers, defaultTextMapGetter).setValue(sinceKey, Date.now());
}

/** Begins the span of a request in such a context; its owner ends it. */
export const startSpan = (name: string, options: SpanOptions, within: Context): Span =>
  tracer.startSpan(name, options, within);

/** The headers that hand the trace on to another server; none where there is none. */
export function traceHeaders(): Record<string, string> {
  const headers: Record<string, string> = {};
  propagation.inject(context.active(), headers);
  return headers;
}

/** The span under way as it travels with what it causes; undefined where there is none. */
export function currentCarrier(): TraceCarrier | undefined {
  const { traceparent, tracestate } = traceHeaders();
  if (traceparent === undefined) return undefined;
  const since = context.active().getValue(sinceKey);
  return {
    traceparent,
    ...(tracestate !== undefined && { tracestate }),
    since: typeof since === 'number' ? since : Date.now(),
  };
}

/** As currentCarrier, of a trace that is sampled. */
export function sampledCarrier(): TraceCarrier | undefined {
  const { traceFlags = TraceFlags.NONE } = trace.getSpanContext(context.active()) ?? {};
  return traceFlags & TraceFlags.SAMPLED ? currentCarrier() : undefined;
}

/** What a log line tells of the trace that it is written in. */
export function traceFields(): { trace_id?: string; span_id?: string } {
  const { traceId, spanId } = trace.getSpanContext(context.active()) ?? {};
  return traceId === undefined || spanId === undefined ? {} : { trace_id: traceId, span_id: spanId };
}

/** The same function, but that it runs in the trace that is under way now. */
export const boundToTrace = <Act extends (...given: never[]) => unknown>(act: Act): Act =>
  context.bind(context.active(), act);

/** Marks a span as failed, by a word that holds nothing of what it was about. */
export function fail(span: Span, errorType: string): void {
  span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', errorType);
}

async function endAfter<T>(span: Span, work: Work<T>): Promise<T> {
  try {
    return await work(span);
  } catch (error) {
    fail(span, error instanceof Error ? error.name : typeof error);
    throw error;
  } finally {
    span.end();
  }
}
