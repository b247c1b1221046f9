/** How long an open breaker waits before it half-opens. */
const REST_MS = 1_000;
/** Bulkhead: concurrent calls at most, so that a slow service holds up no more than these. */
const MAX_AT_ONCE = 24;

/** A circuit breaker with a bulkhead, which closes only after a probe. */
export type Breaker = {
  /** Whether the breaker is closed and has room. */
  isClosed(): boolean;
  /** Makes a call; a failure opens the breaker. Undefined in place of an answer that a doubt has overtaken. */
  call<T>(act: () => Promise<T>): Promise<T | undefined>;
  /** Half-open: one probe at a time, beside the callers, finds out whether the breaker may close. */
  probe(act: () => Promise<unknown>): void;
  /** Asks for a probe before the next call, although nothing has failed. */
  doubt(): void;
  /** Waits for the running probe. */
  settle(): Promise<void>;
  /** Waits for the running probe unless a call has failed before it. */
  settleDoubt(): Promise<void>;
};

/** A breaker that waits for its first probe; `onChange` hears of every failure that opens it, and of every closing after one. */
export function createBreaker(now: () => number, onChange: (cause: unknown) => void): Breaker {
  let state: 'closed' | 'doubted' | 'failed' = 'doubted';
  /** Counts doubts and failures: a probe answers for none that came while it ran. */
  let doubts = 0;
  let restUntil = 0;
  let calls = 0;
  let probing: Promise<void> | undefined;

  function open(cause: unknown): void {
    const wasFailed = state === 'failed';
    state = 'failed';
    doubts += 1;
    restUntil = now() + REST_MS;
    if (!wasFailed) onChange(cause);
  }

  async function find(act: () => Promise<unknown>): Promise<void> {
    const before = doubts;
    try {
      await act();
      if (before !== doubts) return;
      const wasFailed = state === 'failed';
      state = 'closed';
      if (wasFailed) onChange(undefined);
    } catch (error) {
      open(error);
    }
  }

  return {
    isClosed: () => state === 'closed' && calls < MAX_AT_ONCE,
    async call(act) {
      calls += 1;
      const before = doubts;
      try {
        const answer = await act();
        return before === doubts ? answer : undefined;
      } catch (error) {
        open(error);
        throw error;
      } finally {
        calls -= 1;
      }
    },
    probe(act) {
      if (state === 'closed' || probing || (state === 'failed' && now() < restUntil)) return;
      probing = find(act).finally(() => {
        probing = undefined;
      });
    },
    doubt() {
      doubts += 1;
      if (state === 'closed') state = 'doubted';
    },
    settle: async () => probing,
    settleDoubt: async () => (state === 'doubted' ? probing : undefined),
  };
}
