import { expect, test } from 'vitest';
import { readFile } from 'node:fs/promises';
import { lookupWithoutThreads } from '../../../shared/adapters/fetch-dns.ts';
import { scaled } from '../../support/machine.ts';

const lookup = (hostname: string) =>
  new Promise<unknown>((resolve) => {
    lookupWithoutThreads(hostname, { all: true }, (error, found) => resolve(error ?? found));
  });

test('localhost and literals are known without asking anybody', async () => {
  expect(await lookup('localhost')).toContainEqual({ address: '127.0.0.1', family: 4 });
  expect(await lookup('127.0.0.1')).toEqual([{ address: '127.0.0.1', family: 4 }]);
  expect(await lookup('::1')).toEqual([{ address: '::1', family: 6 }]);
});

test('names that do not resolve fail, and files can be read while many of them are looked up', async () => {
  const names = Array.from({ length: 40 }, (_, i) => lookup(`host-${i}.invalid`));
  const startedAt = performance.now();
  await readFile(new URL(import.meta.url));
  expect(performance.now() - startedAt).toBeLessThan(scaled(4_000));
  for (const answer of await Promise.all(names)) expect(answer).toBeInstanceOf(Error);
});
