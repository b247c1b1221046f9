import { chmodSync, lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { canReach, completeLibraryLinks, findBinaries } from '../../db/embedded-binaries.ts';
import { makeTestFolder } from '../support/folders.ts';

let root: string;

beforeEach(() => {
  root = makeTestFolder();
});
afterEach(() => rmSync(root, { recursive: true }));

test('library links left out by an install without scripts are made, and only those', () => {
  mkdirSync(join(root, 'native/lib'), { recursive: true });
  writeFileSync(join(root, 'native/lib/libicu.so.60.2'), 'library');
  writeFileSync(join(root, 'native/lib/libpresent.so'), 'present');
  writeFileSync(
    join(root, 'native/pg-symlinks.json'),
    JSON.stringify([
      { source: 'native/lib/libicu.so.60.2', target: 'native/lib/libicu.so.60' },
      { source: 'native/lib/libicu.so.60.2', target: 'native/lib/libpresent.so' },
    ]),
  );
  completeLibraryLinks(root);
  completeLibraryLinks(root);
  expect(lstatSync(join(root, 'native/lib/libicu.so.60')).isSymbolicLink()).toBe(true);
  expect(readFileSync(join(root, 'native/lib/libicu.so.60'), 'utf8')).toBe('library');
  expect(readFileSync(join(root, 'native/lib/libpresent.so'), 'utf8')).toBe('present');
});

test('a platform without a bundled PostgreSQL is named, with the way out', async () => {
  await expect(findBinaries('aix', 'ppc64')).rejects.toThrow(/bundled for aix-ppc64 .* set DATABASE_URL/);
});

test('a folder closed to a user closes everything below it', () => {
  const stranger = { uid: 54_321, gid: 54_321 };
  const inside = join(root, 'open', 'file');
  mkdirSync(join(root, 'open'), { mode: 0o755 });
  expect(canReach(inside, stranger)).toBe(true);
  chmodSync(root, 0o700);
  expect(canReach(root, stranger)).toBe(true);
  expect(canReach(inside, stranger)).toBe(false);
  expect(canReach(inside, { uid: process.getuid!(), gid: process.getgid!() })).toBe(true);
});
