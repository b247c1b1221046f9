import { execFile } from 'node:child_process';
import { cpSync, existsSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { makeTestFolder } from './support/folders.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const copy = join(makeTestFolder(), 'copy');
afterAll(() => rmSync(join(copy, '..'), { recursive: true }));

const run = (file: string, ...args: string[]) => promisify(execFile)(process.execPath, [file, ...args], { cwd: copy });

test('what new:job and new:operation write passes the types, the format and its own tests', async () => {
  cpSync(root, copy, {
    recursive: true,
    filter: (path) => !['node_modules', '.git', '.data'].includes(basename(path)),
  });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));

  await run('workers/new-job.ts', 'count-things');
  await run('node_modules/typescript/bin/tsc', '-p', '.');
  await expect(run('workers/new-job.ts', 'count-things')).rejects.toThrow('workers/count-things.ts exists already.');

  await run('api/new-operation.ts', 'favorites', 'countFavorites', 'get', '/api/me/favorites/count');
  await run('api/new-operation.ts', 'listings', 'likeListing', 'post', '/api/listings/{id}/like');
  await run('api/new-operation.ts', 'admin', 'countThings', 'get', '/api/admin/things');
  // The contract's parts, where the folders have them, are bundled into the one document that the API reads.
  if (existsSync(join(copy, 'api/generate-openapi.ts'))) await run('api/generate-openapi.ts');
  for (const path of ['/api/me/favorites/count', '/api/listings/{id}/like', '/api/admin/things'])
    expect(readFileSync(join(copy, 'openapi.yaml'), 'utf8')).toContain(`\n  ${path}:\n`);

  await run('node_modules/oxfmt/bin/oxfmt', '--check', 'api', 'workers', 'shared', 'test');
  const own = [
    'workers/count-things',
    'api/favorites/count-favorites',
    'api/listings/like-listing',
    'api/admin/count-things',
  ];
  const tests = own.map((name) => `test/${name}.test.ts`);
  await run('node_modules/vitest/vitest.mjs', 'run', '--config', 'test/vitest.config.ts', ...tests);
}, 900_000);
