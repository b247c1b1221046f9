import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { context, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { ExportResultCode, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  defaultResource,
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type Sampler,
  type SpanExporter,
} from '@opentelemetry/sdk-trace';
import type { Logger } from './log.ts';
import type { TracingConfig } from './tracing-config.ts';
import { VERSION } from './version.ts';

/** A process that ends has no more time to spare for a receiver that does not answer. */
const MAX_FLUSH_MS = 2_000;

/**
 * Makes the SDK of OpenTelemetry this process's: spans are sent in batches by OTLP over HTTP, and dropped when more wait than the
 * batch processor's queue holds (OTEL_BSP_MAX_QUEUE_SIZE, 2048).
 */
export function startSdk(process: string, config: TracingConfig, log: Pick<Logger, 'warn' | 'info'>) {
  const exporter = new OTLPTraceExporter();
  const provider = new TracerProvider({
    sampler: samplerOf(config),
    resource: resourceOf(process),
    spanProcessors: [new BatchSpanProcessor({ ...config.batch, exporter: warnOnce(exporter, log) })],
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(provider);
  return {
    async stop(): Promise<void> {
      const flushed = new AbortController();
      const limit = sleep(MAX_FLUSH_MS, undefined, { signal: flushed.signal });
      await Promise.race([provider.shutdown(), limit.catch(() => undefined)]);
      flushed.abort();
    },
  };
}

/** What OTEL_RESOURCE_ATTRIBUTES and OTEL_SERVICE_NAME say goes before. */
function resourceOf(process: string) {
  const own = resourceFromAttributes({
    'service.name': `quayside-${process}`,
    'service.version': VERSION,
    'service.instance.id': randomUUID(),
    'process.pid': globalThis.process.pid,
  });
  const given = detectResources({ detectors: [resourceAttributesEnvDetector, serviceNameEnvDetector] });
  return defaultResource().merge(own).merge(given);
}

function samplerOf({ sampler, ratio }: TracingConfig): Sampler {
  const base = sampler.replace('parentbased_', '');
  const root =
    base === 'traceidratio'
      ? new TraceIdRatioBasedSampler(ratio)
      : base === 'always_off'
        ? new AlwaysOffSampler()
        : new AlwaysOnSampler();
  return base === sampler ? root : new ParentBasedSampler({ root });
}

/** The first batch that cannot be sent is told of, and the first that can be again; those between are lost in silence. */
function warnOnce(exporter: OTLPTraceExporter, log: Pick<Logger, 'warn' | 'info'>): SpanExporter {
  let failing = false;
  return {
    export(spans, done) {
      exporter.export(spans, ({ code, error }) => {
        const failed = code !== ExportResultCode.SUCCESS;
        if (failed && !failing) log.warn({ reason: reasonOf(error) }, 'traces cannot be sent: they are dropped');
        if (!failed && failing) log.info('traces can be sent again');
        failing = failed;
        done({ code: ExportResultCode.SUCCESS });
      });
    },
    forceFlush: () => exporter.forceFlush(),
    shutdown: () => exporter.shutdown(),
  };
}

/** The status of an answer, else the code of what failed: a message may hold an address with credentials. */
function reasonOf(error: Error | undefined): string {
  const { code, cause } = (error ?? {}) as { code?: string | number; cause?: { code?: string } };
  return String(code ?? cause?.code ?? error?.name ?? 'unknown');
}
