import { chmodSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseCached } from '../../../shared/kit/openapi-document.ts';
import { makeTestFolder } from '../../support/folders.ts';

const yaml = 'openapi: 3.1.0\ninfo: {title: Boats}\n';
const document = { openapi: '3.1.0', info: { title: 'Boats' } };

describe('the cache of the parsed contract', () => {
  test('gives what the text says, the first time and from its file', () => {
    const folder = join(makeTestFolder(), 'made/when/missing');
    expect(parseCached(yaml, folder)).toEqual(document);
    const [file = ''] = readdirSync(folder);
    expect(readdirSync(folder)).toHaveLength(1);
    writeFileSync(join(folder, file), '{"taken": "from here"}');
    expect(parseCached(yaml, folder)).toEqual({ taken: 'from here' });
  });

  test('is never stale: another text has another file', () => {
    const folder = makeTestFolder();
    parseCached(yaml, folder);
    expect(parseCached(yaml.replace('Boats', 'Ships'), folder)).toEqual({ ...document, info: { title: 'Ships' } });
  });

  test('a damaged file is written anew', () => {
    const folder = makeTestFolder();
    parseCached(yaml, folder);
    const [file = ''] = readdirSync(folder);
    writeFileSync(join(folder, file), '{"openapi": "3.');
    expect(parseCached(yaml, folder)).toEqual(document);
    writeFileSync(join(folder, file), JSON.stringify(document));
    expect(parseCached(yaml, folder)).toEqual(document);
  });

  test('a folder that cannot be written changes nothing', () => {
    const folder = makeTestFolder();
    const file = join(folder, 'a-file');
    writeFileSync(file, '');
    chmodSync(folder, 0o500);
    expect(parseCached(yaml, join(file, 'below'))).toEqual(document);
    expect(parseCached(yaml, join(folder, 'refused'))).toEqual(document);
    chmodSync(folder, 0o700);
  });
});
