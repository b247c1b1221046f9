import { z } from 'zod';
import { httpUrl, optional, withDefault } from './variable.ts';

const count = optional(z.coerce.number().int().min(1).max(1_000_000));
const protocol = optional(z.literal('http/protobuf', 'must be http/protobuf'));

/**
 * The variables of OpenTelemetry that say whether and how traces are made. Where they go and with what (headers, certificates,
 * timeout, compression) its exporter reads by itself, and its resource what the service is called.
 */
export const tracingVariables = {
  OTEL_SDK_DISABLED: withDefault(z.stringbool(), 'false'),
  OTEL_TRACES_EXPORTER: withDefault(z.enum(['otlp', 'none']), 'otlp'),
  OTEL_EXPORTER_OTLP_ENDPOINT: optional(httpUrl),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: optional(httpUrl),
  OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: protocol,
  OTEL_TRACES_SAMPLER: withDefault(
    z.enum([
      'always_on',
      'always_off',
      'traceidratio',
      'parentbased_always_on',
      'parentbased_always_off',
      'parentbased_traceidratio',
    ]),
    'parentbased_always_on',
  ),
  OTEL_TRACES_SAMPLER_ARG: withDefault(z.coerce.number().min(0).max(1), 1),
  OTEL_BSP_SCHEDULE_DELAY: count,
  OTEL_BSP_EXPORT_TIMEOUT: count,
  OTEL_BSP_MAX_QUEUE_SIZE: count,
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: count,
};

type Variables = z.infer<z.ZodObject<typeof tracingVariables>>;

/** How traces are made; undefined where nobody is named who would take them. */
export type TracingConfig = NonNullable<ReturnType<typeof tracingOf>>;

/** Traces are made where an endpoint is named, unless they are switched off. */
export function tracingOf(env: Variables) {
  const endpoint = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? env.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (endpoint === undefined || env.OTEL_SDK_DISABLED || env.OTEL_TRACES_EXPORTER === 'none') return undefined;
  return {
    sampler: env.OTEL_TRACES_SAMPLER,
    ratio: env.OTEL_TRACES_SAMPLER_ARG,
    batch: {
      scheduledDelayMillis: env.OTEL_BSP_SCHEDULE_DELAY,
      exportTimeoutMillis: env.OTEL_BSP_EXPORT_TIMEOUT,
      maxQueueSize: env.OTEL_BSP_MAX_QUEUE_SIZE,
      maxExportBatchSize: env.OTEL_BSP_MAX_EXPORT_BATCH_SIZE,
    },
  };
}
