import { randomBytes, timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { unavailable } from '../kit/errors.ts';
import { readHash, writeHash, type PasswordHash } from './password-hash.ts';
import { createHashingThread, type HashingThread } from './password-thread.ts';

/** OWASP's floor for argon2id: 19 MiB, two passes, one lane; about 30 ms of one core. */
const PARAMETERS = { memory: 19_456, passes: 2, parallelism: 1 };
const SALT_BYTES = 16;
const HASH_BYTES = 32;
const MOST_THREADS = 4;
const MAX_WAITING = 50;

/**
 * Hashes and checks passwords in threads of their own, of low priority and fewer than there are cores: a storm of logins must
 * slow nothing else. When 50 wait already, 503 with Retry-After.
 */
export function createPasswords({ threads = defaultThreads(), mostWaiting = MAX_WAITING } = {}) {
  const idle: HashingThread[] = Array.from({ length: threads }, createHashingThread);
  const waiting: ((thread: HashingThread) => void)[] = [];

  async function takeThread(): Promise<HashingThread> {
    const thread = idle.pop();
    if (thread) return thread;
    if (waiting.length >= mostWaiting) throw unavailable('Too many sign-ins at this moment; try again shortly.');
    return new Promise((resolve) => waiting.push(resolve));
  }

  function giveBack(thread: HashingThread): void {
    const next = waiting.shift();
    if (next) next(thread);
    else idle.push(thread);
  }

  async function compute(password: string, { salt, hash, ...parameters }: PasswordHash): Promise<Buffer> {
    const thread = await takeThread();
    try {
      return await thread({ password, salt, length: hash.length, ...parameters });
    } finally {
      giveBack(thread);
    }
  }

  return {
    /** The hash of a password under a salt of its own, as a PHC string. */
    async hash(password: string): Promise<string> {
      const made = fresh();
      return writeHash({ ...made, hash: await compute(password, made) });
    },

    /** True when the password fits the hash. Without a hash (no such account) it takes as long and answers false. */
    async verify(stored: string | null | undefined, password: string): Promise<boolean> {
      const known = stored ? readHash(stored) : undefined;
      const expected = known ?? fresh();
      const actual = await compute(password, expected);
      return timingSafeEqual(actual, expected.hash) && known !== undefined;
    },
  };
}

const defaultThreads = () => Math.max(1, Math.min(MOST_THREADS, availableParallelism() - 1));

const fresh = (): PasswordHash => ({ ...PARAMETERS, salt: randomBytes(SALT_BYTES), hash: Buffer.alloc(HASH_BYTES) });

export type Passwords = ReturnType<typeof createPasswords>;
