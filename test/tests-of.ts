// npm run test:of -- FILE [vitest options]: runs the tests that reach a file; --all also those that only start the whole product,
// --list prints them. `vitest related` follows imports alone: it finds all test files for most files of shared/ (each test
// starts the product), and none for what runs in a child process or a thread.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readContract } from '../api/http/contract.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const rooms = ['api', 'workers', 'scrapers', 'shared', 'db', 'test'];
/** What starts the product for a test, and the lists of what it can do: everything reaches everything through these. */
const hubs = new Set([
  'api/operations.ts',
  'api/admin/operations.ts',
  'api/services.ts',
  'workers/handlers.ts',
  'workers/services.ts',
  ...readdirSync(join(root, 'test/support')).map((name) => `test/support/${name}`),
]);

const sources = rooms.flatMap((room) =>
  readdirSync(join(root, room), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:ts|js)$/.test(name) && !name.endsWith('.gen.ts'))
    .map((name) => join(room, name)),
);
const doors = new Map([...operationFiles(), ...queueFiles()]);
const users = new Map<string, string[]>();
for (const source of sources)
  for (const target of targetsOf(source)) users.set(target, [...(users.get(target) ?? []), source]);

/** The test files that reach a file: by imports, by naming its path, its operation or its queue, or by standing in its mirror. */
export function testsOf(file: string, { all = false } = {}): string[] {
  const reached = new Set([file]);
  for (const each of reached)
    if (each === file || all || !hubs.has(each)) for (const user of users.get(each) ?? []) reached.add(user);
  const mirror = mirrorOf(file);
  return sources.filter((name) => name.endsWith('.test.ts') && (reached.has(name) || name.startsWith(mirror)));
}

/** What a source loads or names: modules, files of the repository, folders (`migrations/`), operations by path, queues. */
function targetsOf(source: string): string[] {
  const text = readFileSync(join(root, source), 'utf8').replaceAll(/^import type .*$/gm, '');
  const named = [...text.matchAll(/(['"`])((?:(?!\1)[^\n\\]){2,200})\1/g)].map(([, , literal = '']) => literal);
  return named.flatMap((literal) => {
    const door = source.startsWith('test/') ? (doors.get(literal) ?? operationAt(literal)) : undefined;
    if (door) return [door];
    const paths = [join(dirname(source), literal), join('.', literal)].filter((path) => existsSync(join(root, path)));
    return paths.flatMap((path) =>
      literal.endsWith('/') && statSync(join(root, path)).isDirectory()
        ? readdirSync(join(root, path)).map((name) => join(path, name))
        : [path],
    );
  });
}

/** How the paths of a file's own tests begin: its folder in test/, or the nearest one above; in a room's root its name. */
function mirrorOf(file: string): string {
  let folder = join('test', dirname(file));
  while (!existsSync(join(root, folder))) folder = dirname(folder);
  return folder.split('/').length > 2 ? `${folder}/` : join('test', file.replace(/\.\w+$/, ''));
}

/** Every operation's path, `*` for a parameter, with the file that exports its function. */
function operationFiles(): [string, string][] {
  const texts = sources
    .filter((name) => name.startsWith('api/'))
    .map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }));
  return readContract().operations.flatMap(({ id, tag, path }): [string, string][] => {
    const own = texts.find(
      ({ file, text }) => file.startsWith(`api/${tag}/`) && new RegExp(`export const ${id}\\b`).test(text),
    );
    return own ? [[path.replaceAll(/\{\w+\}/g, '*'), own.file]] : [];
  });
}

function operationAt(literal: string): string | undefined {
  if (!literal.startsWith('/')) return undefined;
  const [path = ''] = literal.replaceAll(/\$\{[^}]*\}/g, '*').split('?');
  return doors.get(path);
}

function queueFiles(): [string, string][] {
  return ['workers', 'scrapers'].flatMap((room) =>
    readdirSync(join(root, room))
      .filter((name) => name.includes('-') && name.endsWith('.ts'))
      .map((name): [string, string] => [basename(name, '.ts'), join(room, name)]),
  );
}

function main(args: string[]): number {
  const [given = '', ...options] = args.filter((each) => each !== '--all' && each !== '--list');
  const file = relative(root, resolve(given));
  if (given === '' || !existsSync(join(root, file))) {
    console.error('usage: npm run test:of -- FILE [--all] [--list] [options of vitest]');
    return 64;
  }
  const found = testsOf(file, { all: args.includes('--all') });
  console.log(`${found.length} test files reach ${file}:\n  ${found.join('\n  ')}`);
  if (found.length === 0 || args.includes('--list')) return 0;
  const vitest = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url));
  const config = ['run', '--config', 'test/vitest.config.ts'];
  return (
    spawnSync(process.execPath, [vitest, ...config, ...found, ...options], { cwd: root, stdio: 'inherit' }).status ?? 1
  );
}

if (import.meta.main) process.exitCode = main(process.argv.slice(2));
