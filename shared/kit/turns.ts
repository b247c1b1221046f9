const MAX_TURN_MS = 10;
const waiting: (() => void)[] = [];

/**
 * Cooperative scheduling of long work: resolves in a later turn of the event loop, first come, first served, for one of those
 * who wait in each turn. However many requests are long at once, others are answered between any two of their steps.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(letNextGoOn);
  });
}

function letNextGoOn(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(letNextGoOn);
}

/** A function to be awaited between the steps of long work: it waits for the next turn once they have taken ten milliseconds. */
export function yieldOften(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < MAX_TURN_MS) return;
    await nextTurn();
    since = performance.now();
  };
}
