import type { Logger } from './log.ts';
import type { TracingConfig } from './tracing-config.ts';

export type Tracing = {
  /** Sends what has not been sent, for two seconds at most. */
  stop(): Promise<void>;
};

/** Begins to make and send traces where they are wanted; elsewhere nothing of OpenTelemetry's SDK is loaded. */
export async function startTracing(
  process: string,
  config: TracingConfig | undefined,
  log: Pick<Logger, 'warn' | 'info'>,
): Promise<Tracing> {
  if (!config) return { stop: async () => undefined };
  const { startSdk } = await import('./tracing-sdk.ts');
  return startSdk(process, config, log);
}
