import { afterAll, vi } from 'vitest';
import { closeApps } from './app.ts';
import { cpuSecondsOf } from './cpu-report.ts';
import { dropDatabases } from './database.ts';
import { scaled } from './machine.ts';
import { rememberState } from './put-back.ts';
import { WAIT_MS } from './waiting.ts';

// No guarantee is a test's whole time: these end what hangs, long after every wait in a test has given up and said why.
vi.setConfig({
  testTimeout: scaled(600_000),
  hookTimeout: scaled(600_000),
  expect: { poll: { timeout: scaled(WAIT_MS) } },
});

const putBack = rememberState();
const cpuBefore = cpuSecondsOf(process.pid);

// Files share a process: what one of them has left is not there for the next (put-back.test.ts).
// oxlint-disable-next-line no-empty-pattern -- Vitest hands the file over behind the fixtures, which have to be taken apart.
afterAll(async ({}, file) => {
  await closeApps();
  await dropDatabases();
  putBack();
  file.meta.cpuSeconds = cpuSecondsOf(process.pid) - cpuBefore;
});
