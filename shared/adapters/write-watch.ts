import { Counter, Gauge, type Registry } from 'prom-client';
import { ServiceError } from '../kit/errors.ts';
import type { Mailer } from './mail.ts';
import type { Storage } from './storage.ts';

/** What this service writes outside its database: uploads as they arrive, stored images, mails on disk. */
export type WrittenPart = 'uploads' | 'images' | 'outbox';
/** True when the part can probably be written now; one that knows nothing answers true. */
type Probe = () => Promise<boolean>;

const PROBED_EVERY_MS = 5_000;
/** So long after a failed write the next one is taken to fail as well, whatever a probe says. */
const FAILURE_TELLS_MS = 10_000;

/**
 * Watches what is written outside the database: `quayside_storage_write_errors_total{part}` counts writes that failed for a full,
 * read-only or broken store, and `quayside_storage_writable{part}` is 0 for ten
 * seconds after one, and while a probe fails.
 */
export function createWriteWatch(registry: Registry, probes: Partial<Record<WrittenPart, Probe>>) {
  const parts = Object.keys(probes) as WrittenPart[];
  const errors = new Counter({
    name: 'quayside_storage_write_errors_total',
    help: 'Writes outside the database that failed because their store was full, read-only, broken or away, by part.',
    labelNames: ['part'] as const,
    registers: [registry],
  });
  for (const part of parts) errors.inc({ part }, 0);
  const failedAt = new Map<WrittenPart, number>();
  let probed: { at: number; failing: Promise<WrittenPart[]> } | undefined;

  async function isFailing(part: WrittenPart): Promise<boolean> {
    const since = performance.now() - (failedAt.get(part) ?? Number.NEGATIVE_INFINITY);
    return since < FAILURE_TELLS_MS || !(await probes[part]?.().catch(() => false));
  }

  async function probeAll(): Promise<WrittenPart[]> {
    const verdicts = await Promise.all(parts.map(async (part) => ((await isFailing(part)) ? [part] : [])));
    return verdicts.flat();
  }

  /** The parts that cannot be written; asked of the stores every five seconds at most. */
  function failing(): Promise<WrittenPart[]> {
    const now = performance.now();
    if (!probed || now - probed.at > PROBED_EVERY_MS) probed = { at: now, failing: probeAll() };
    return probed.failing;
  }

  new Gauge({
    name: 'quayside_storage_writable',
    help: '1 while a part outside the database (uploads, images, outbox) can be written, else 0.',
    labelNames: ['part'] as const,
    // Of several processes of a kind the worst counts.
    aggregator: 'min',
    registers: [registry],
    async collect() {
      const broken = await failing();
      for (const part of parts) this.set({ part }, broken.includes(part) ? 0 : 1);
    },
  });

  /** Waits for a write, and notes how it ended. */
  async function watch<T>(part: WrittenPart, write: Promise<T>): Promise<T> {
    try {
      const written = await write;
      if (failedAt.delete(part)) probed = undefined;
      return written;
    } catch (error) {
      if (isOutage(error)) {
        errors.inc({ part });
        failedAt.set(part, performance.now());
        probed = undefined;
      }
      throw error;
    }
  }

  return { failing, watch };
}

export type WriteWatch = ReturnType<typeof createWriteWatch>;

/** A Storage whose puts are watched. */
export const watchStorage = (storage: Storage, { watch }: WriteWatch): Storage => ({
  ...storage,
  put: (key, body, meta) => watch('images', storage.put(key, body, meta)),
});

/** A Mailer whose messages are watched as they are written to the outbox. */
export const watchOutbox = (mailer: Mailer, { watch }: WriteWatch): Mailer => ({
  ...mailer,
  send: (message, options) => watch('outbox', mailer.send(message, options)),
});

/** A failure of the system beneath, not of what was to be written. */
const isOutage = (error: unknown): boolean =>
  error instanceof ServiceError
    ? error.code === 'service_unavailable' && error.cause !== undefined
    : error instanceof Error && 'syscall' in error;
