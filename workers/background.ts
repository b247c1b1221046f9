import type { Logger } from '../shared/kit/log.ts';

/** Work that outlives the job that began it. */
export type Background = {
  /** Aborts when the process stops: what is still running then ends soon and leaves the rest to others. */
  signal: AbortSignal;
  readonly size: number;
  /** Lets a promise end by itself; its failure is logged. */
  add(work: Promise<unknown>): void;
  /** Waits until nothing is running. */
  idle(): Promise<void>;
  /** Aborts what is running and waits for its end. */
  stop(): Promise<void>;
};

/** Keeps the work of this process that no job waits for. */
export function createBackground(log: Logger): Background {
  const stopping = new AbortController();
  const running = new Set<Promise<void>>();
  const idle = async () => void (await Promise.all(running));
  return {
    signal: stopping.signal,
    get size() {
      return running.size;
    },
    add(work) {
      const watched = work
        .then(
          () => undefined,
          (error: unknown) => log.error({ err: error }, 'work in the background failed'),
        )
        .finally(() => running.delete(watched));
      running.add(watched);
    },
    idle,
    async stop() {
      stopping.abort(new Error('the process is stopping'));
      await idle();
    },
  };
}
