import { setTimeout as sleep } from 'node:timers/promises';
import { scaled } from './machine.ts';

/** What a quiet machine may take until a condition holds: so long that only what is broken takes longer. */
export const WAIT_MS = 120_000;
const EVERY_MS = 50;

type Options = { everyMs?: number; describe?: () => string };

/** Asks every 50 ms, or as often as told, until the answer is true; throws after two scaled minutes, with what `describe` tells. */
export async function eventually(
  ask: () => boolean | Promise<boolean>,
  { everyMs = EVERY_MS, describe = () => '' }: Options = {},
): Promise<void> {
  const isOver = startDeadline(WAIT_MS);
  while (!(await ask())) {
    if (isOver()) throw new Error(`this never came true. ${describe()}`);
    await sleep(everyMs);
  }
}

/** Checks every 50 ms until the check passes, and answers what it does; throws its last error after two minutes, scaled, or `withinMs`. */
export async function waitFor<T>(check: () => T | Promise<T>, withinMs = WAIT_MS): Promise<T> {
  const isOver = startDeadline(withinMs);
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (isOver()) throw error;
    }
    await sleep(EVERY_MS);
  }
}

/** The machine is measured again when the deadline is about to decide: it may have become busy since. */
function startDeadline(quietMs: number): () => boolean {
  const startedAt = performance.now();
  let deadlineMs = quietMs;
  return () => {
    const waitedMs = performance.now() - startedAt;
    if (waitedMs > deadlineMs) deadlineMs = Math.max(deadlineMs, scaled(quietMs));
    return waitedMs > deadlineMs;
  };
}
