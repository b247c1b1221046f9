import { expect, test } from 'vitest';
import { createBreaker } from '../../../shared/search/breaker.ts';

function open() {
  let time = 0;
  const changes: unknown[] = [];
  const breaker = createBreaker(
    () => time,
    (cause) => changes.push(cause),
  );
  const pass = async () => {
    breaker.probe(async () => {});
    await breaker.settle();
  };
  return { breaker, changes, pass, wait: (milliseconds: number) => (time += milliseconds) };
}

test('nothing is called before a first probe has succeeded', async () => {
  const { breaker, changes, pass } = open();
  expect(breaker.isClosed()).toBe(false);
  await pass();
  expect([breaker.isClosed(), changes]).toEqual([true, []]);
});

test('a failed call opens it until a probe succeeds, which is made after a rest', async () => {
  const { breaker, changes, pass, wait } = open();
  await pass();
  const cause = new Error('down');
  await expect(breaker.call(() => Promise.reject(cause))).rejects.toBe(cause);
  await pass();
  expect([breaker.isClosed(), changes]).toEqual([false, [cause]]);
  wait(1_001);
  await pass();
  expect([breaker.isClosed(), changes]).toEqual([true, [cause, undefined]]);
});

test('a doubt asks for a probe at once, and drops the answers and the probe that it has overtaken', async () => {
  const { breaker, changes, pass } = open();
  await pass();
  const { promise, resolve } = Promise.withResolvers<string>();
  const answer = breaker.call(() => promise);
  breaker.doubt();
  resolve('half of it');
  expect(await answer).toBe(undefined);
  expect(breaker.isClosed()).toBe(false);
  const slow = Promise.withResolvers<void>();
  breaker.probe(() => slow.promise);
  breaker.doubt();
  slow.resolve();
  await breaker.settle();
  expect(breaker.isClosed()).toBe(false);
  await pass();
  expect([breaker.isClosed(), changes]).toEqual([true, []]);
});
