import { pino, type Logger } from 'pino';
import { traceFields } from './tracing.ts';

export type { Logger };

const FLUSH_EVERY_MS = 250;
const MIN_WRITE_BYTES = 4 * 1_024;
const MAX_WRITE_BYTES = 64 * 1_024;
/** Lines that cannot be written, because nobody reads them or the disk is full, wait up to this; then they are lost. */
const MAX_WAITING_BYTES = 8 * 1_024 * 1_024;

/**
 * A JSON logger on standard output; what looks like a secret or an address is redacted. Lines are written in batches, at
 * least four times a second and at exit. Where there are traces, a line names the one that it was written in.
 */
export function createLogger(process: string, level: string, { traced = false } = {}): Logger {
  return pino(
    {
      level,
      base: { process },
      timestamp: pino.stdTimeFunctions.isoTime,
      ...(traced && { mixin: traceFields }),
      redact: {
        paths: secretKeys.flatMap((key) => [key, `*.${key}`]),
        censor: '[redacted]',
      },
    },
    standardOutput(),
  );
}

function standardOutput(): ReturnType<typeof pino.destination> {
  const output = pino.destination({
    fd: 1,
    sync: false,
    minLength: MIN_WRITE_BYTES,
    maxWrite: MAX_WRITE_BYTES,
    maxLength: MAX_WAITING_BYTES,
    periodicFlush: FLUSH_EVERY_MS,
  });
  let broken = false;
  output.on('error', () => {
    broken = true;
  });
  output.on('write', () => {
    broken = false;
  });
  // At exit sonic-boom tries every failed write again for ever, and a process whose log nobody reads would never end: one
  // synchronous write before finds that out (test/start/log.test.ts).
  const flushSync = output.flushSync.bind(output);
  output.flushSync = () => {
    Object.assign(output, { sync: true }).flush();
    if (!broken) flushSync();
  };
  return output;
}

const secretKeys = ['password', 'token', 'secret', 'authorization', 'email'];
