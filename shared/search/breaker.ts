/** How long an open breaker waits before it half-opens. */
const REST_MS = 1_000;
/** Bulkhead: concurrent calls at most, so that a slow service holds up no more than these. */
const MAX_AT_ONCE = 24;

/** A circuit breaker with a bulkhead. */
export type Breaker = {
  /** Whether the breaker is closed and has room. */
  isClosed(): boolean;
  /** Makes a call; a failure opens the breaker. */
  call<T>(act: () => Promise<T>): Promise<T>;
  /** Half-open: one probe at a time, beside the callers, finds out whether the breaker may close. */
  probe(act: () => Promise<unknown>): void;
  /** Waits for the running probe. */
  settle(): Promise<void>;
};

/** A closed breaker; `onChange` hears of every opening, with its cause, and of every closing. */
export function createBreaker(now: () => number, onChange: (cause: unknown) => void): Breaker {
  let restUntil: number | undefined;
  let calls = 0;
  let probing: Promise<void> | undefined;

  function open(cause: unknown): void {
    const wasClosed = restUntil === undefined;
    restUntil = now() + REST_MS;
    if (wasClosed) onChange(cause);
  }

  async function find(act: () => Promise<unknown>): Promise<void> {
    try {
      await act();
      restUntil = undefined;
      onChange(undefined);
    } catch (error) {
      open(error);
    }
  }

  return {
    isClosed: () => restUntil === undefined && calls < MAX_AT_ONCE,
    async call(act) {
      calls += 1;
      try {
        return await act();
      } catch (error) {
        open(error);
        throw error;
      } finally {
        calls -= 1;
      }
    },
    probe(act) {
      if (restUntil === undefined || probing || now() < restUntil) return;
      probing = find(act).finally(() => {
        probing = undefined;
      });
    },
    settle: async () => probing,
  };
}
