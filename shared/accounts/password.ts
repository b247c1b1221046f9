import { randomBytes, timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';
import type { Piscina } from 'piscina';
import { unavailable } from '../kit/errors.ts';
import { parsePasswordHash, formatPasswordHash, type PasswordHash } from './password-hash.ts';
import type { HashRequest } from './password-worker.ts';

/** OWASP's floor for argon2id: 19 MiB, two passes, one lane; about 30 ms of one core. */
const PARAMETERS = { memory: 19_456, passes: 2, parallelism: 1 };
const SALT_BYTES = 16;
const HASH_BYTES = 32;
const MAX_THREADS = 4;
const MAX_WAITING = 50;
const IDLE_MS = 30_000;

/**
 * Hashes and checks passwords in a pool of worker threads of low priority, fewer than there are cores: a storm of logins must
 * slow nothing else. When 50 wait already, 503 with Retry-After. A thread ends when there was nothing to hash for 30 s.
 */
export function createPasswords({ threads = defaultThreads(), mostWaiting = MAX_WAITING } = {}) {
  let pool: Promise<Piscina<HashRequest, Uint8Array>> | undefined;

  /** Loaded with the first password: most processes never see one. */
  async function startPool(): Promise<Piscina<HashRequest, Uint8Array>> {
    const { Piscina } = await import('piscina');
    const filename = new URL('./password-worker.ts', import.meta.url).href;
    return new Piscina({ filename, minThreads: 0, maxThreads: threads, idleTimeout: IDLE_MS });
  }

  async function compute(password: string, { salt, hash, ...parameters }: PasswordHash): Promise<Uint8Array> {
    const started = await (pool ??= startPool());
    if (started.queueSize >= mostWaiting) throw unavailable('Too many sign-ins at this moment; try again shortly.');
    return started.run({ password, salt, length: hash.length, ...parameters });
  }

  return {
    /** The hash of a password under a salt of its own, as a PHC string. */
    async hash(password: string): Promise<string> {
      const made = fresh();
      return formatPasswordHash({ ...made, hash: Buffer.from(await compute(password, made)) });
    },

    /** True when the password fits the hash. Without a hash (no such account) it takes as long and answers false. */
    async verify(stored: string | null | undefined, password: string): Promise<boolean> {
      const known = stored ? parsePasswordHash(stored) : undefined;
      const expected = known ?? fresh();
      const actual = await compute(password, expected);
      return timingSafeEqual(actual, expected.hash) && known !== undefined;
    },
  };
}

const defaultThreads = () => Math.max(1, Math.min(MAX_THREADS, availableParallelism() - 1));

const fresh = (): PasswordHash => ({ ...PARAMETERS, salt: randomBytes(SALT_BYTES), hash: Buffer.alloc(HASH_BYTES) });

export type Passwords = ReturnType<typeof createPasswords>;
