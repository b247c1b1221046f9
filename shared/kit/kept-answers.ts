type Kept<Answer> = { answer: Answer; madeAt: number };

/** What took less is made anew each time. */
const COSTLY_MS = 500;
/** So long an answer is as good as new; then it is still given for a while, and made anew behind it. */
const FRESH_MS = 30_000;
const KEEP_MS = 10 * 60_000;
const MOST_KEPT = 200;

/**
 * Remembers answers that take long to make. Nobody waits for one that is there, nor makes one that somebody else is making: an
 * answer is at most ten minutes old, and half a minute where it is asked for all the time.
 */
export function keepAnswers<Answer>(now: () => number = () => performance.now()) {
  const kept = new Map<string, Kept<Answer>>();
  const making = new Map<string, Promise<Answer>>();

  function make(key: string, load: () => Promise<Answer>): Promise<Answer> {
    const running = making.get(key);
    if (running) return running;
    const startedAt = now();
    const begun = load()
      .then((answer) => {
        kept.delete(key);
        if (now() - startedAt >= COSTLY_MS) kept.set(key, { answer, madeAt: now() });
        for (const oldest of kept.keys()) if (kept.size > MOST_KEPT) kept.delete(oldest);
        return answer;
      })
      .finally(() => making.delete(key));
    making.set(key, begun);
    return begun;
  }

  return async (key: string, load: () => Promise<Answer>): Promise<Answer> => {
    const known = kept.get(key);
    const age = known ? now() - known.madeAt : Infinity;
    if (!known || age > KEEP_MS) return make(key, load);
    // Whoever asks next is told of the failure, or makes it good.
    if (age > FRESH_MS) make(key, load).catch(() => kept.delete(key));
    return known.answer;
  };
}
