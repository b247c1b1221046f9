import { pino, type Logger } from 'pino';

export type { Logger };

const FLUSH_EVERY_MS = 250;

/**
 * A JSON logger on standard output; what looks like a secret or an address is redacted. Lines are written in batches, at
 * least four times a second and at exit: one system call per line would cost more than the request it tells of.
 */
export function createLogger(process: string, level: string): Logger {
  return pino(
    {
      level,
      base: { process },
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: {
        paths: secretKeys.flatMap((key) => [key, `*.${key}`]),
        censor: '[redacted]',
      },
    },
    pino.destination({ fd: 1, sync: false, minLength: 8_192, periodicFlush: FLUSH_EVERY_MS }),
  );
}

const secretKeys = ['password', 'token', 'secret', 'authorization', 'email'];
