const FLUSH_EVERY_MS = 1_000;
const LAST_TRIES = 3;

/**
 * Writes what requests have left behind each second, never in their own path and never twice at a time. `write` writes what
 * is waiting; it answers false when that waits for the next time.
 */
export function writeInBatches(write: () => Promise<boolean>) {
  let writing = Promise.resolve(true);

  function flush(): Promise<boolean> {
    writing = writing.then(write);
    return writing;
  }

  const timer = setInterval(() => void flush(), FLUSH_EVERY_MS);
  timer.unref();

  return {
    /** Writes what is waiting now; what cannot be written waits for the next time, and the answer is false. */
    flush,
    /** Writes what is waiting, trying again when that fails: nothing is noted any more. */
    async stop(): Promise<void> {
      clearInterval(timer);
      for (let attempt = 1; attempt <= LAST_TRIES && !(await flush()); attempt += 1);
    },
  };
}
