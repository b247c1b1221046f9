import { expect, test } from 'vitest';
import { lookupWithoutThreads } from '../../../shared/adapters/fetch-dns.ts';

const lookup = (hostname: string) =>
  new Promise<unknown>((resolve) => {
    lookupWithoutThreads(hostname, { all: true }, (error, found) => resolve(error ?? found));
  });

test('localhost and literals are known without asking anybody', async () => {
  expect(await lookup('localhost')).toContainEqual({ address: '127.0.0.1', family: 4 });
  expect(await lookup('127.0.0.1')).toEqual([{ address: '127.0.0.1', family: 4 }]);
  expect(await lookup('::1')).toEqual([{ address: '::1', family: 6 }]);
});

/** How many look-ups hold a thread now, or wait for one. */
const threadsWanted = () => process.getActiveResourcesInfo().filter((name) => name === 'GetAddrInfoReqWrap').length;

test('names that do not resolve fail, and no thread is taken while many of them are looked up', async () => {
  const before = threadsWanted();
  const names = Array.from({ length: 40 }, (_, i) => lookup(`host-${i}.invalid`));
  expect(threadsWanted()).toBe(before);
  for (const answer of await Promise.all(names)) expect(answer).toBeInstanceOf(Error);
});
