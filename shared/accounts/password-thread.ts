import { Worker } from 'node:worker_threads';
import type { HashRequest } from './password-worker.ts';

const IDLE_MS = 30_000;

/** A thread of low priority that hashes one password at a time; it starts with the first and ends when there are none for a while. */
export function createHashingThread() {
  let worker: Worker | undefined;
  let idleTimer: NodeJS.Timeout | undefined;

  function start(): Worker {
    const started = new Worker(new URL('./password-worker.ts', import.meta.url));
    // Whoever waits for a hash learns of an end by itself; an end in between concerns nobody.
    started.on('error', () => undefined);
    started.once('exit', () => {
      if (worker === started) worker = undefined;
    });
    return started;
  }

  function stop(): void {
    void worker?.terminate();
    worker = undefined;
  }

  return async (request: HashRequest): Promise<Buffer> => {
    clearTimeout(idleTimer);
    worker ??= start();
    try {
      const hash = await ask(worker, request);
      idleTimer = setTimeout(stop, IDLE_MS).unref();
      return hash;
    } catch (error) {
      stop();
      throw error;
    }
  };
}

export type HashingThread = ReturnType<typeof createHashingThread>;

async function ask(worker: Worker, request: HashRequest): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array<ArrayBuffer>>();
  const onExit = (code: number) => reject(new Error(`the hashing thread ended with code ${code}`));
  worker.ref();
  worker.once('message', resolve).once('error', reject).once('exit', onExit);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  worker.postMessage(request);
  try {
    return Buffer.from(await promise);
  } finally {
    worker.off('message', resolve).off('error', reject).off('exit', onExit);
    worker.unref();
  }
}
