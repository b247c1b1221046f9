/** The rate limiter of hosts: shared by everything that crawls, so that a host meets one visitor at one speed. */
export type Pace = {
  /**
   * Reserves the next `count` slots at a host, `intervalMs` apart and no closer to the slots of others than either wants, and
   * answers in how many milliseconds the first one is.
   */
  reserveSlot(host: string, intervalMs: number, count: number): Promise<number>;
  /** Leaves a host alone for so long: slots are reserved after it alone, and no permit is given before. */
  backOff(host: string, milliseconds: number): Promise<void>;
  /** Acquires a permit for one request; undefined while a host has as many as it should bear, or is to be left alone. */
  acquire(host: string): Promise<string | undefined>;
  /** Releases a permit. One that nobody releases lapses after 40 seconds. */
  release(host: string, permit: string): Promise<void>;
};

/** Requests under way at one host at the same time, all crawls together. */
export const MAX_PERMITS = 8;

type Host = { nextAt: number; lastAt: number; backOffUntil: number; permits: number };

/** A pace known to this process alone: for crawls by hand, which need no database. */
export function createPace(now: () => number): Pace {
  const hosts = new Map<string, Host>();
  let acquired = 0;

  function hostOf(name: string): Host {
    const host = hosts.get(name) ?? { nextAt: 0, lastAt: -Infinity, backOffUntil: 0, permits: 0 };
    hosts.set(name, host);
    return host;
  }

  return {
    async reserveSlot(name, intervalMs, count) {
      const host = hostOf(name);
      const reservedAt = now();
      const at = Math.max(reservedAt, host.nextAt, host.lastAt + intervalMs, host.backOffUntil);
      host.lastAt = at + (count - 1) * intervalMs;
      host.nextAt = at + count * intervalMs;
      return at - reservedAt;
    },
    async backOff(name, milliseconds) {
      const host = hostOf(name);
      host.backOffUntil = Math.max(host.backOffUntil, now() + milliseconds);
    },
    async acquire(name) {
      const host = hostOf(name);
      if (host.permits >= MAX_PERMITS || now() < host.backOffUntil) return undefined;
      host.permits += 1;
      acquired += 1;
      return String(acquired);
    },
    async release(name) {
      const host = hostOf(name);
      host.permits = Math.max(0, host.permits - 1);
    },
  };
}
