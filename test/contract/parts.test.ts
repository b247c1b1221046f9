import { expect, test } from 'vitest';
import { composeOpenapi, readParts } from '../../api/generate-openapi.ts';
import { bytesOf } from './document.ts';

const MAX_PART_LINES = 900;
const parts = readParts();

test('openapi.yaml is what its parts give', () => {
  expect(bytesOf('openapi.yaml').toString() === composeOpenapi(parts), 'run npm run generate').toBe(true);
});

test('no part is longer than a person reads', () => {
  const long = parts.filter(({ text }) => text.split('\n').length > MAX_PART_LINES + 1);
  expect(long.map(({ file }) => file)).toEqual([]);
});

test('every part says in its first line what is in it', () => {
  expect(parts.filter(({ text }) => !/^# [A-Z].+\.\n/.test(text)).map(({ file }) => file)).toEqual([]);
});

test('the paths of a part carry the tag of its folder', () => {
  const strays = parts.flatMap(({ file, folder, content: { paths = {} } }) =>
    Object.entries(paths).flatMap(([path, item]) =>
      Object.values(item as Record<string, { tags?: string[] }>)
        .filter(({ tags }) => tags !== undefined && tags.join() !== folder)
        .map(() => `${file}: ${path}`),
    ),
  );
  expect(strays).toEqual([]);
});
