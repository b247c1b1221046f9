import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';

/** What the piece of work below takes on a quiet machine like the one that the deadlines were chosen on. */
const QUIET_CPU_MS = 25;
const QUIET_MS = 32;
/** Whatever is slower than this fails: it is broken, or no machine to run tests on. */
const MAX_SLOWNESS = 20;
/** How long a measurement stands for the machine as it is now. */
const FRESH_MS = 15_000;

let measured = { at: Number.NEGATIVE_INFINITY, slowness: 1 };

/** A deadline of a quiet machine in whole ms, as long as this one needs now: times 1 to 20, by a measured piece of work or the load. */
export function scaled(quietMs: number): number {
  const now = performance.now();
  if (now - measured.at > FRESH_MS) measured = { at: now, slowness: measureWorkMs() / QUIET_MS };
  return Math.round(quietMs * bounded(Math.max(measured.slowness, (loadavg()[0] ?? 0) / availableParallelism())));
}

/** How many times more of the processor's own time the piece of work takes now: caches and cores are shared with others. */
export const measureCpuSlowness = () => bounded(cpuMs(compute) / QUIET_CPU_MS);

/** Milliseconds of the processor that some work takes on this thread, which nobody else's turn is counted in. */
export function cpuMs(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

const bounded = (slowness: number) => Math.min(MAX_SLOWNESS, Math.max(1, slowness));

function measureWorkMs(): number {
  const startedAt = performance.now();
  writeToDisk(compute());
  return performance.now() - startedAt;
}

/** Memory and numbers: a text of 1.4 MB is parsed, written and hashed. */
function compute(): string {
  const boats = Array.from({ length: 20_000 }, (_, id) => ({ id, title: `Boat ${id}`, tags: ['sail', 'wood'] }));
  let text = JSON.stringify(boats);
  for (let round = 0; round < 2; round += 1) {
    text = JSON.stringify(JSON.parse(text));
    createHash('sha256').update(text).digest();
  }
  return text;
}

function writeToDisk(text: string): void {
  const path = join(tmpdir(), `quayside-slowness-${process.pid}`);
  const file = openSync(path, 'w');
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
    rmSync(path);
  }
}
