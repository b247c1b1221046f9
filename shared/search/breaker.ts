/** How long a service that failed is left alone before it is tried again. */
const REST_MS = 1_000;
/** So many calls at a time: a slow service holds up no more than these. */
const MAX_AT_ONCE = 24;

/** Keeps callers from a service that fails or is slow. */
export type Breaker = {
  /** Whether somebody may call now; otherwise the service is resting, or has enough to do. */
  isClosed(): boolean;
  /** Makes a call; a failure opens the breaker. */
  call<T>(act: () => Promise<T>): Promise<T>;
  /** Lets one probe at a time find out, beside the callers, whether an open breaker may close again. */
  probe(act: () => Promise<unknown>): void;
  /** Waits for the probe that runs. */
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
