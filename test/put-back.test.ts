import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { rememberState } from './support/put-back.ts';

test('what a file leaves in the environment is put back: new, changed and removed variables', () => {
  process.env['TO_BE_CHANGED'] = 'before';
  process.env['TO_BE_REMOVED'] = 'before';
  const before = { ...process.env };
  const putBack = rememberState();
  process.env['TO_BE_CHANGED'] = 'after';
  process.env['NEW'] = 'after';
  delete process.env['TO_BE_REMOVED'];
  putBack();
  expect({ ...process.env }).toEqual(before);
});

test('what a file leaves among temporary files is gone, and the next one has a folder of its own', () => {
  const outer = tmpdir();
  const putBack = rememberState();
  const left = mkdtempSync(join(tmpdir(), 'outbox-'));
  writeFileSync(join(left, 'mail.json'), '{}');
  expect(tmpdir()).not.toBe(outer);
  putBack();
  expect([existsSync(left), tmpdir()]).toEqual([false, outer]);
});

test('a clock that a file has replaced runs again', () => {
  const putBack = rememberState();
  vi.useFakeTimers({ now: 0 });
  expect(Date.now()).toBe(0);
  putBack();
  expect(Date.now()).toBeGreaterThan(Date.parse('2026-01-01'));
});

test('functions that a file has spied on are themselves again, and its handlers of signals are gone', () => {
  const { uptime } = process;
  const handlers = process.listeners('SIGTERM');
  const putBack = rememberState();
  vi.spyOn(process, 'uptime').mockReturnValue(-1);
  process.on('SIGTERM', () => {});
  expect(process.uptime()).toBe(-1);
  putBack();
  expect([process.uptime, process.listeners('SIGTERM')]).toEqual([uptime, handlers]);
});

test('the working directory is where it was', () => {
  const before = process.cwd();
  const putBack = rememberState();
  process.chdir(tmpdir());
  putBack();
  expect(process.cwd()).toBe(before);
});
