import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);
const program = fileURLToPath(new URL('../fixtures/feed-memory.ts', import.meta.url));
const HEAP_MB = 64;

/** Reads a feed in a process of its own whose heap holds a fraction of it. */
async function stream(format: string, items: number): Promise<{ items: number; tenthMb: number; allMb: number }> {
  const { stdout } = await run(process.execPath, [`--max-old-space-size=${HEAP_MB}`, program, format, String(items)]);
  return JSON.parse(stdout) as Awaited<ReturnType<typeof stream>>;
}

test.each(['xml', 'csv', 'json'])(
  '100,000 items of %s (150 MB) stream through a heap of 64 MB, in the memory that 10,000 take',
  async (format) => {
    const { items, tenthMb, allMb } = await stream(format, 100_000);
    expect(items).toBeGreaterThanOrEqual(100_000);
    expect(tenthMb).toBeGreaterThan(0);
    expect(allMb).toBeLessThan(tenthMb + 60);
  },
);
