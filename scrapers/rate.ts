/** Whose turn it is at a host: shared by everything that crawls, so that a host meets one visitor at one speed. */
export type Pace = {
  /** Takes the next turn at a host and tells how many milliseconds are left until it comes. */
  takeTurn(host: string, intervalMs: number): Promise<number>;
  /** Leaves a host alone for so long: turns taken from now on come later. */
  rest(host: string, milliseconds: number): Promise<void>;
};

/** A pace known to this process alone: for crawls by hand, which need no database. */
export function createPace(now: () => number): Pace {
  const nextTurn = new Map<string, number>();
  return {
    async takeTurn(host, intervalMs) {
      const at = Math.max(now(), nextTurn.get(host) ?? 0);
      nextTurn.set(host, at + intervalMs);
      return at - now();
    },
    async rest(host, milliseconds) {
      nextTurn.set(host, Math.max(nextTurn.get(host) ?? 0, now() + milliseconds));
    },
  };
}
