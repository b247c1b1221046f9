import { expect, test } from 'vitest';
import { createStaleCache } from '../../../shared/kit/stale-cache.ts';

/** A clock, and answers that count up and take so long to make. */
function stage(tookMs: number) {
  let now = 0;
  let made = 0;
  const cache = createStaleCache(() => now);
  const load = async () => {
    now += tookMs;
    made += 1;
    return made;
  };
  const pass = (ms: number) => {
    now += ms;
  };
  return { cache, load, pass, ask: (key = 'a') => cache(key, load) };
}

test('what is made quickly is made anew each time', async () => {
  const { ask } = stage(499);
  expect([await ask(), await ask()]).toEqual([1, 2]);
});

test('what takes long is given again, then made anew behind the answer, and not given for ever', async () => {
  const { ask, pass } = stage(500);
  expect([await ask(), await ask(), await ask('b')]).toEqual([1, 1, 2]);
  pass(31_000);
  expect(await ask()).toBe(1);
  await Promise.resolve();
  expect(await ask()).toBe(3);
  pass(11 * 60_000);
  expect(await ask()).toBe(4);
});

test('those who ask at once wait for one answer, and a failure is cached for nobody', async () => {
  const { ask, cache } = stage(500);
  expect(await Promise.all([ask(), ask(), ask()])).toEqual([1, 1, 1]);
  await expect(cache('c', () => Promise.reject(new Error('away')))).rejects.toThrow('away');
  expect(await ask('c')).toBe(2);
});

test('an answer that cannot be made anew is given once more, and the next one who asks makes it or is told', async () => {
  const { ask, cache, pass } = stage(500);
  await ask();
  pass(31_000);
  const fail = () => Promise.reject(new Error('away'));
  expect(await cache('a', fail)).toBe(1);
  await Promise.resolve();
  await expect(cache('a', fail)).rejects.toThrow('away');
  expect(await ask()).toBe(2);
});
