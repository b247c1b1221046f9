import { pino, type Logger } from 'pino';

export type { Logger };

const FLUSH_EVERY_MS = 250;
const BATCH_BYTES = 64 * 1_024;
/** Lines that cannot be written, because nobody reads them or the disk is full, wait up to this; then they are lost. */
const WAITING_BYTES = 8 * 1_024 * 1_024;

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
    standardOutput(),
  );
}

function standardOutput(): ReturnType<typeof pino.destination> {
  // As text, all that waits would be copied with each line that joins it; as bytes they are joined once.
  const output = pino.destination({
    fd: 1,
    sync: false,
    contentMode: 'buffer',
    minLength: BATCH_BYTES,
    maxWrite: 2 * BATCH_BYTES,
    maxLength: WAITING_BYTES,
    periodicFlush: FLUSH_EVERY_MS,
  });
  const writeBytes = output.write.bind(output) as unknown as (line: Buffer) => boolean;
  output.write = (line) => writeBytes(Buffer.from(line));
  let broken = false;
  output.on('error', () => {
    broken = true;
  });
  output.on('write', () => {
    broken = false;
  });
  const flushSync = output.flushSync.bind(output);
  // At exit the library tries again for ever where nobody reads any more: a plain write finds that out before.
  output.flushSync = () => {
    Object.assign(output, { sync: true }).flush();
    if (!broken) flushSync();
  };
  return output;
}

const secretKeys = ['password', 'token', 'secret', 'authorization', 'email'];
