import { expect, test } from 'vitest';
import { readConfig } from '../../../shared/kit/config.ts';

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };

test('there are traces where an endpoint is named, and none elsewhere or where they are switched off', () => {
  expect(readConfig({}).tracing).toBeUndefined();
  expect(readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: '' }).tracing).toBeUndefined();
  expect(readConfig({ ...endpoint, OTEL_SDK_DISABLED: 'true' }).tracing).toBeUndefined();
  expect(readConfig({ ...endpoint, OTEL_TRACES_EXPORTER: 'none' }).tracing).toBeUndefined();
  expect(readConfig(endpoint).tracing).toMatchObject({ sampler: 'parentbased_always_on', ratio: 1 });
  expect(readConfig({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://127.0.0.1:4318/v1/traces' }).tracing).toBeDefined();
});

test.for([
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'localhost'],
  ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
  ['OTEL_TRACES_SAMPLER', 'sometimes'],
  ['OTEL_TRACES_SAMPLER_ARG', '5'],
  ['OTEL_BSP_MAX_QUEUE_SIZE', '0'],
])('%s=%s is refused with one line that names it', ([name, value]) => {
  const refused = () => readConfig({ ...endpoint, [name!]: value });
  expect(refused).toThrow(new RegExp(`^${name}: [^\\n]+$`));
});
