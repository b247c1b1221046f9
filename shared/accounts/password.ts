import { availableParallelism } from 'node:os';
import argon2 from 'argon2';
import { unavailable } from '../errors.ts';

/** OWASP's floor for argon2id: 19 MiB, two passes, one lane; about 26 ms of one core. */
const PARAMETERS = { type: argon2.argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
const MAX_WAITING = 50;

/**
 * Hashes and checks passwords, at most one per core at a time: the hashing threads are shared with files and DNS, and a
 * storm of logins must not stop those. When 50 wait already, 503 with Retry-After.
 */
export function createPasswords(slots = Math.max(1, availableParallelism() - 1)) {
  let running = 0;
  const waiting: (() => void)[] = [];
  let decoy: Promise<string> | undefined;

  async function inSlot<T>(work: () => Promise<T>): Promise<T> {
    if (running >= slots) {
      if (waiting.length >= MAX_WAITING) throw unavailable('Too many sign-ins at this moment; try again shortly.');
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else {
      running += 1;
    }
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  }

  return {
    hash: (password: string): Promise<string> => inSlot(() => argon2.hash(password, PARAMETERS)),

    /** True when the password fits the hash. Without a hash (no such account) it takes as long and answers false. */
    async verify(hash: string | null | undefined, password: string): Promise<boolean> {
      decoy ??= argon2.hash('no such account', PARAMETERS);
      const against = hash ?? (await decoy);
      const fits = await inSlot(() => argon2.verify(against, password));
      return fits && hash !== null && hash !== undefined;
    },
  };
}

export type Passwords = ReturnType<typeof createPasswords>;
