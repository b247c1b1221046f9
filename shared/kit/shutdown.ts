import { deadlinesOf } from './deadlines.ts';
import type { Logger } from './log.ts';

/** A terminal and npm each send Ctrl-C once: what comes right after the first signal is not a second one. */
const sameSignalMs = 1_000;

type Step = () => Promise<void>;

/**
 * Ends this process well: at SIGTERM, SIGINT or the death of the supervisor it runs `steps` one after the other, once they
 * are known (a failing one is logged and the next still runs) and exits 0, or 1 when a step failed or `timeoutMs` (default 15 s) is over. A
 * second signal ends it at once. An error nobody caught is logged and ends it with 1, for the supervisor to start anew.
 */
export function onShutdown(
  log: Pick<Logger, 'info' | 'error' | 'fatal'>,
  steps: readonly Step[] | Promise<readonly Step[]>,
  { timeoutMs = deadlinesOf().processStop }: { timeoutMs?: number } = {},
): void {
  let startedAt: number | undefined;

  async function shutDown(reason: string): Promise<void> {
    if (startedAt !== undefined) {
      if (performance.now() - startedAt > sameSignalMs) process.exit(1);
      return;
    }
    startedAt = performance.now();
    log.info({ reason }, 'stopping');
    setTimeout(() => {
      log.error({ timeout_ms: timeoutMs }, 'stopping takes too long: ended with work unfinished');
      process.exit(1);
    }, timeoutMs).unref();
    let code = 0;
    for (const step of await steps) {
      try {
        await step();
      } catch (error) {
        code = 1;
        log.error({ err: error }, 'a step of stopping failed');
      }
    }
    log.info({ duration_ms: Math.round(performance.now() - startedAt) }, 'stopped');
    process.exit(code);
  }

  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void shutDown(signal));
  for (const event of ['uncaughtException', 'unhandledRejection'] as const)
    process.on(event, (error: unknown) => {
      log.fatal({ err: error }, event);
      process.exit(1);
    });
  // With the supervisor its end of our output is gone too, and a failed write must not cut the drain short.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  if (!process.send) return;
  process.on('disconnect', () => void shutDown('the supervisor is gone'));
  if (!process.connected) void shutDown('the supervisor is gone');
}
