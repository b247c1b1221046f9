import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { endAll, newFolder, run, service } from './support.ts';

afterEach(endAll);

const start = (mode: string, ipc = false) => run([service, ...mode.split(' ')], newFolder(), {}, { ipc });

test('every step runs in order, also after one that fails, which makes the exit code 1', async () => {
  const running = start('steps');
  await running.line(/runs as/);
  running.child.kill('SIGTERM');
  expect(await running.end()).toBe(1);
  expect(running.lines.slice(1)).toEqual(['first', 'error logged', 'third']);
});

test('steps that never end are cut off at the deadline', async () => {
  const running = start('hang');
  await running.line(/runs as/);
  running.child.kill('SIGTERM');
  expect(await running.end()).toBe(1);
  expect(running.lines.at(-1)).toBe('error logged');
});

test('a process whose supervisor is gone drains and ends', async () => {
  const mark = join(newFolder(), 'mark');
  const running = start(`leaveMark ${mark}`, true);
  await running.line(/runs as/);
  running.child.disconnect();
  expect(await running.end()).toBe(0);
  expect(existsSync(mark)).toBe(true);
});

test('an error nobody caught is logged and ends the process with 1', async () => {
  const running = start('throwLater');
  expect(await running.end()).toBe(1);
  expect(running.lines).toContain('fatal logged');
});
