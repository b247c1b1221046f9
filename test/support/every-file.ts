import { afterAll, vi } from 'vitest';
import { closeApps } from './app.ts';
import { dropDatabases } from './database.ts';
import { scaled } from './machine.ts';
import { WAIT_MS } from './waiting.ts';

// No guarantee is a test's whole time: these end what hangs, long after every wait in a test has given up and said why.
vi.setConfig({
  testTimeout: scaled(600_000),
  hookTimeout: scaled(600_000),
  expect: { poll: { timeout: scaled(WAIT_MS) } },
});

// Files share a process: what one of them has left is not there for the next.
afterAll(async () => {
  await closeApps();
  await dropDatabases();
});
