/** Whose turn it is at a host: shared by everything that crawls, so that a host meets one visitor at one speed. */
export type Pace = {
  /** Takes the next turn at a host, or the next `count` in a row, and tells how many milliseconds are left until the first comes. */
  takeTurn(host: string, intervalMs: number, count?: number): Promise<number>;
  /** Leaves a host alone for so long: turns taken from now on come later. */
  rest(host: string, milliseconds: number): Promise<void>;
  /** Begins a visit, unless as many as a host should bear are under way there: undefined then, else a token. */
  enter(host: string): Promise<string | undefined>;
  /** Ends a visit. One that nobody ends is over after a minute. */
  leave(host: string, visit: string): Promise<void>;
};

/** Requests under way at one host at the same time, all crawls together. */
export const MOST_VISITS = 8;

/** A pace known to this process alone: for crawls by hand, which need no database. */
export function createPace(now: () => number): Pace {
  const nextTurn = new Map<string, number>();
  const visits = new Map<string, number>();
  let entered = 0;
  return {
    async takeTurn(host, intervalMs, count = 1) {
      const at = Math.max(now(), nextTurn.get(host) ?? 0);
      nextTurn.set(host, at + count * intervalMs);
      return at - now();
    },
    async rest(host, milliseconds) {
      nextTurn.set(host, Math.max(nextTurn.get(host) ?? 0, now() + milliseconds));
    },
    async enter(host) {
      const underWay = visits.get(host) ?? 0;
      if (underWay >= MOST_VISITS) return undefined;
      visits.set(host, underWay + 1);
      entered += 1;
      return String(entered);
    },
    async leave(host) {
      visits.set(host, Math.max(0, (visits.get(host) ?? 0) - 1));
    },
  };
}
