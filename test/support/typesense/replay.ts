type Waiting<Input, Reply> = { input: Input; done?: (reply: Reply) => void };

/**
 * The log of a server's writes. After a restart they are queued by name and worked queue by queue, as the test goes on; a write
 * that comes meanwhile waits in its own queue until all before it there are done.
 */
export function createReplay<Input, Reply>(apply: (input: Input) => Reply) {
  const log: { queue: string; input: Input }[] = [];
  let queues: Map<string, Waiting<Input, Reply>[]> | undefined;
  let order: string[] = [];

  function next(): Waiting<Input, Reply> | undefined {
    for (const queue of order) {
      const waiting = queues?.get(queue)?.shift();
      if (waiting) return waiting;
    }
    return undefined;
  }

  return {
    write(queue: string, input: Input): Reply | Promise<Reply> {
      log.push({ queue, input });
      const waiting = queues?.get(queue);
      if (!waiting || waiting.length === 0) return apply(input);
      return new Promise((done) => void waiting.push({ input, done }));
    },
    /** Nothing is applied by now; the queues named come first and last. */
    restart(first: readonly string[], last: readonly string[]): void {
      queues = new Map();
      for (const { queue, input } of log) queues.set(queue, [...(queues.get(queue) ?? []), { input }]);
      const others = [...queues.keys()].filter((queue) => !first.includes(queue) && !last.includes(queue));
      // What was written through an alias has a queue of its own, and overtakes.
      order = [...first, ...others.toSorted((a, b) => a.length - b.length), ...last];
    },
    replay(count = Number.POSITIVE_INFINITY): void {
      for (let done = 0; done < count; done += 1) {
        const waiting = next();
        if (!waiting) return;
        const reply = apply(waiting.input);
        waiting.done?.(reply);
      }
    },
  };
}
