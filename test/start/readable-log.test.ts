import { expect, test } from 'vitest';
import { toReadableLine } from '../../shared/boot/readable-log.ts';

const line = (fields: object) =>
  toReadableLine(JSON.stringify({ level: 30, time: '2026-11-23T12:42:20.462Z', process: 'api', ...fields }));

test('a terminal shows the time, level and message of a log line, then what it is about', () => {
  expect(line({ url: 'http://localhost:3000', count: 2, reason: 'two words', msg: 'the API is listening' })).toBe(
    '12:42:20 info  the API is listening url=http://localhost:3000 count=2 reason="two words"',
  );
  expect(line({ level: 50, msg: 'failed' })).toBe('12:42:20 error failed');
  expect(line({ queues: ['a', 'b'] })).toBe('12:42:20 info  queues=["a","b"]');
});

test('the stack of an error stands below its line', () => {
  const err = { type: 'Error', message: 'no', stack: 'Error: no\n    at here' };
  expect(line({ level: 60, err, msg: 'ended' })).toBe('12:42:20 fatal ended\n  Error: no\n      at here');
});

test('lines that are no log lines are printed as they are', () => {
  for (const text of ['', 'Restarting', '{', '{"level":"high"}', '[1]', '{"time":1}'])
    expect(toReadableLine(text)).toBe(text);
});
