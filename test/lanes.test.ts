import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { soakFiles } from './soak.ts';
import { sample, sampleKinds } from './support/lane.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const rows = [...readFileSync(join(root, 'test/README.md'), 'utf8').matchAll(/^\| (.+) \| (.+) \| (.+) \|$/gm)].slice(
  1,
);
/** The paths of a cell, with `{a,b}` written out. */
const pathsIn = (cell: string) =>
  [...cell.matchAll(/`([^`]+)`/g)].flatMap(([, path = '']) => {
    const [, before = '', names = '', after = ''] = /^(.*)\{(.*)\}(.*)$/.exec(path) ?? [];
    return names ? names.split(',').map((name) => before + name + after) : [path];
  });
const paths = rows.flatMap(([, , cell = '']) => pathsIn(cell));

describe('the table of lanes in test/README.md', () => {
  test('names by itself each file that does more in lane soak, and no other', () => {
    const named = paths.filter((path) => path.endsWith('.test.ts') && !path.includes('*'));
    expect(named.toSorted()).toEqual(soakFiles);
    const lanesOf = (file: string) => rows.find(([, , cell = '']) => pathsIn(cell).includes(file))?.[3];
    for (const file of soakFiles) expect(lanesOf(file), file).toMatch(/^`test`: .+; `soak`: /);
  });

  test('has a row for each folder of tests, and no other', () => {
    const tested = globSync('test/**/*.test.ts', { cwd: root }).map((file) => `${dirname(file)}/`);
    const folders = paths.filter((path) => path.endsWith('/'));
    expect(folders.filter((folder) => !tested.some((each) => each.startsWith(folder)))).toEqual([]);
    const isNamed = (folder: string) =>
      paths.some((path) => path === `${folder}*.test.ts` || (path.endsWith('/') && folder.startsWith(path)));
    expect(tested.filter((folder) => !isNamed(folder))).toEqual([]);
  });
});

test('a sample is spread evenly, turns with each call, and leaves nothing out when its turns are over', () => {
  const all = Array.from({ length: 10 }, (_, index) => index);
  const turns = [0, 1, 2].map((turn) => sample(all, 4, turn));
  if (turns[0]!.length === all.length) return;
  expect(turns[0]).toEqual([0, 2, 5, 7]);
  expect(new Set(turns.flat())).toEqual(new Set(all));
  expect([0, 1].map((turn) => sampleKinds(all, (each) => each % 3, turn))).toEqual([
    [0, 1, 2],
    [3, 4, 5],
  ]);
});
