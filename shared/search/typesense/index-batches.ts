import { indexWherever, type SyncResult, type SyncDependencies } from './sync.ts';

/** So many listings are written at a time. */
const MAX_BATCH = 500;

type Waiting = { ids: readonly string[]; done: (outcome: Promise<SyncResult>) => void };

/**
 * Writes the listings of jobs that run side by side together: while one import is on its way, what comes next is gathered for the
 * following one.
 */
export function createIndexBatches(dependencies: SyncDependencies): (ids: readonly string[]) => Promise<SyncResult> {
  const waiting: Waiting[] = [];
  let isWriting = false;

  async function write(): Promise<void> {
    isWriting = true;
    // Jobs of one batch begin in one turn.
    await new Promise((resolve) => setImmediate(resolve));
    while (waiting.length > 0) {
      const batch = takeBatch(waiting);
      const ids = batch.flatMap((each) => each.ids);
      const outcome = indexWherever(dependencies, ids);
      for (const { done } of batch) done(outcome);
      await outcome.then(
        () => undefined,
        () => undefined,
      );
    }
    isWriting = false;
  }

  return (ids) =>
    new Promise((resolve) => {
      waiting.push({ ids, done: resolve });
      if (!isWriting) void write();
    });
}

function takeBatch(waiting: Waiting[]): Waiting[] {
  let size = 0;
  const end = waiting.findIndex(({ ids }, index) => {
    size += ids.length;
    return index > 0 && size > MAX_BATCH;
  });
  return waiting.splice(0, end === -1 ? waiting.length : end);
}
