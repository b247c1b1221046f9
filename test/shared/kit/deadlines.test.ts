import { expect, test } from 'vitest';
import { readConfig } from '../../../shared/kit/config.ts';
import { deadlinesOf } from '../../../shared/kit/deadlines.ts';

const deadlinesAt = (DEADLINE_FACTOR?: string) => readConfig({ DEADLINE_FACTOR }).deadlines;

test('DEADLINE_FACTOR multiplies every deadline; unset they are as in the table', () => {
  expect(deadlinesAt()).toEqual(deadlinesOf());
  expect(deadlinesAt('20')).toEqual(
    Object.fromEntries(Object.entries(deadlinesOf()).map(([name, ms]) => [name, ms * 20])),
  );
});

test('a deadline is a whole number of milliseconds and never none, however small the factor, and fits a timer at the largest', () => {
  for (const ms of Object.values(deadlinesAt('0.00001'))) expect(ms).toBe(Math.max(1, Math.round(ms)));
  for (const ms of Object.values(deadlinesAt('1000'))) expect(ms).toBeLessThan(2 ** 31);
});

test.each(['0', '-1', '1001', 'fast'])('DEADLINE_FACTOR=%s is refused', (factor) => {
  expect(() => deadlinesAt(factor)).toThrow('DEADLINE_FACTOR: ');
});

test('a post to a webhook has ended before another worker may claim it', () => {
  for (const factor of [0.1, 1, 20]) {
    const { webhook, webhookClaim } = deadlinesOf(factor);
    expect(webhook).toBeLessThan(webhookClaim);
  }
});
