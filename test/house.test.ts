import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { readContract } from '../api/http/contract.ts';
import { handlers } from '../api/operations.ts';
import { queueNames, queueOf } from '../shared/queues/queues.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const mayImport: Record<string, string[]> = {
  api: ['api', 'shared', 'db'],
  workers: ['workers', 'shared', 'db'],
  scrapers: ['scrapers', 'shared', 'db'],
  shared: ['shared', 'db'],
  db: ['db'],
};

const sources = (room: string) =>
  readdirSync(join(root, room), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(room, name))
    .filter((file) => !file.startsWith('api/sdk/dist/'));

const importsOf = (file: string) =>
  [...readFileSync(join(root, file), 'utf8').matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)].map((match) =>
    relative(root, join(root, dirname(file), match[1] ?? '')),
  );

describe.each(Object.entries(mayImport))('%s', (room, allowed) => {
  test(`imports only from ${allowed.join(', ')} and the top-level contracts`, () => {
    const strays = sources(room).flatMap((file) =>
      importsOf(file)
        .filter((target) => target.includes('/') && !allowed.includes(target.split('/')[0] ?? ''))
        .map((target) => `${file} -> ${target}`),
    );
    expect(strays).toEqual([]);
  });

  test('keeps its files small enough to read: 300 lines at most', () => {
    const long = sources(room)
      .filter((file) => !file.endsWith('.gen.ts'))
      .filter((file) => readFileSync(join(root, file), 'utf8').split('\n').length > 301);
    expect(long).toEqual([]);
  });

  test('names its files in kebab-case', () => {
    expect(
      sources(room).filter((file) => !/^[a-z0-9-]+(?:\.gen|\.d)?\.ts$/.test(file.split('/').at(-1) ?? '')),
    ).toEqual([]);
  });
});

/** A folder of shared/ imports only folders of lower floors. */
const floors = [
  ['kit'],
  ['places'],
  ['queues', 'adapters', 'normalize'],
  ['journal', 'profiles', 'moderation'],
  ['catalog', 'runs', 'webhooks', 'conversations', 'newsletter', 'rates', 'notices'],
  ['listings'],
  ['ingest', 'dedup', 'marketplace', 'rentals', 'premium', 'reviews', 'images', 'backup'],
  ['search', 'refresh', 'admin', 'feeds'],
  ['saved-searches', 'pricing', 'scrapers', 'favorites', 'tracking', 'accounts', 'leaving'],
  ['drafts', 'reports', 'scams'],
  ['rewriting', 'boot'],
];

test('every folder of shared/ stands on a floor, and imports only folders of lower floors', () => {
  const folders = readdirSync(join(root, 'shared')).filter((name) => name !== 'README.md');
  expect(folders.toSorted()).toEqual(floors.flat().toSorted());
  const floorOf = (file: string) => floors.findIndex((folders) => folders.includes(file.split('/')[1] ?? ''));
  const upwards = sources('shared').flatMap((file) =>
    importsOf(file)
      .filter((target) => target.startsWith('shared/') && target.split('/')[1] !== file.split('/')[1])
      .filter((target) => floorOf(target) >= floorOf(file))
      .map((target) => `${file} -> ${target}`),
  );
  expect(upwards).toEqual([]);
});

test('the README of shared/ tells of the same floors', () => {
  const rows = readFileSync(join(root, 'shared/README.md'), 'utf8').matchAll(/^\| \d+ \| ([^|]+) \|/gm);
  const told = [...rows].map(([, folders = '']) => [...folders.matchAll(/`([\w-]+)`/g)].map(([, name]) => name));
  expect(told).toEqual(floors);
});

test('no module imports itself by way of others', () => {
  const targets = new Map(
    Object.keys(mayImport)
      .flatMap(sources)
      .map((file) => [file, importsOf(file)]),
  );
  const state = new Map<string, 'open' | 'closed'>();
  const cycles: string[] = [];
  function visit(file: string, path: string[]): void {
    if (state.get(file) === 'open') cycles.push([...path.slice(path.indexOf(file)), file].join(' -> '));
    if (state.has(file)) return;
    state.set(file, 'open');
    for (const target of targets.get(file) ?? []) visit(target, [...path, file]);
    state.set(file, 'closed');
  }
  for (const file of targets.keys()) visit(file, []);
  expect(cycles).toEqual([]);
});

test("only the doors' own files stand at the root of a room", () => {
  const loose = (room: string) =>
    readdirSync(join(root, room)).filter((name) => name.includes('.') && name !== 'README.md');
  expect(loose('shared')).toEqual([]);
  expect(loose('scrapers')).toEqual([
    'learn-site.ts',
    'main.ts',
    'publish-scraped.ts',
    'refresh-listing.ts',
    'run-scraper.ts',
    'services.ts',
    'try-page.ts',
  ]);
  expect(loose('api')).toEqual([
    'app.ts',
    'derive-operations.ts',
    'effects.ts',
    'generate-openapi.ts',
    'generate-types.ts',
    'handler.ts',
    'main.ts',
    'new-operation-templates.ts',
    'new-operation.ts',
    'openapi.gen.ts',
    'operations.ts',
    'services.ts',
  ]);
});

test('the modules of the console import each other and their three libraries, and are small enough to read', () => {
  const folder = 'api/admin/console/page';
  const modules = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.js'),
  );
  const texts = modules.map((name) => ({ name, text: readFileSync(join(root, folder, name), 'utf8') }));
  const imported = texts.flatMap(({ name, text }) =>
    [...text.matchAll(/from '([^']+)'/g)].map(([, target = '']) => `${name} -> ${target}`),
  );
  expect(imported.length).toBeGreaterThan(0);
  expect(imported.filter((each) => !/-> (?:preact|preact\/hooks|htm|\.\.?\/[a-z0-9/-]+\.js)$/.test(each))).toEqual([]);
  expect(texts.filter(({ text }) => text.split('\n').length > 301).map(({ name }) => name)).toEqual([]);
  expect(modules.filter((name) => !/^[a-z0-9/-]+\.js$/.test(name))).toEqual([]);
});

test('the SDK needs nothing of the house at run time: the types of the contract, its own files and its two libraries', () => {
  const folder = 'api/sdk/src';
  const imported = sources(folder).flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/^(import|export)( type)? [^;]*?from '([^']+)';$/gms)].map(
      ([, , type, target = '']) => ({ file, type, target: target.startsWith('.') ? join(file, '..', target) : target }),
    ),
  );
  expect(imported.length).toBeGreaterThan(0);
  const isOwn = (target: string) => target.startsWith(`${folder}/`);
  const isCli = (file: string) => file.startsWith(`${folder}/cli/`);
  const strays = imported.filter(
    ({ file, type, target }) =>
      !isOwn(target) &&
      target !== 'openapi-fetch' &&
      !(isCli(file) && (target === 'yaml' || target.startsWith('node:'))) &&
      !(file === `${folder}/contract.ts` && type && target === 'api/openapi.gen.ts'),
  );
  expect(strays).toEqual([]);
  expect(imported.filter(({ file, target }) => !isCli(file) && isCli(target))).toEqual([]);
  const users = ['api', 'workers', 'scrapers', 'shared', 'db']
    .flatMap(sources)
    .filter((file) => !file.startsWith('api/sdk/') && importsOf(file).some((target) => target.startsWith('api/sdk/')));
  expect(users).toEqual([]);
});

test('no pattern changes its flags inside: V8 compiles some of those wrongly, depending on the first text they meet', () => {
  const changing = Object.keys(mayImport)
    .flatMap(sources)
    .filter((file) => /\(\?[ims]*-?[ims]+:/.test(readFileSync(join(root, file), 'utf8')));
  expect(changing).toEqual([]);
});

/** State at module level, where two services objects in one process share it, with the reason why it may be there. */
const moduleState: Record<string, string> = {
  'api/http/contract.ts': 'openapi.yaml as operations: nothing changes it',
  'api/http/validate.ts': 'the validators of a contract, compiled: derived from it alone, and gone with it',
  'api/new-operation-templates.ts': 'the text of a test',
  'api/pages/map/outlines.ts': 'a table from a file, read at first use',
  'scrapers/crawl/child.ts': 'a script: there is one per process',
  'scrapers/extract/listing-links.ts': 'what a page lists: derived from the page alone, and gone with it',
  'scrapers/main.ts': 'a script',
  'shared/accounts/password-rule.ts': 'a table of a library, loaded at first use',
  'shared/adapters/images-heic.ts': 'one decoder per process: two would take its memory twice',
  'shared/boot/start.ts': 'a script',
  'shared/kit/html/dom.ts': 'what is known of an element of a page: derived from the page alone, and gone with it',
  'shared/kit/language.ts': 'the tables of a library, loaded at first use',
  'shared/kit/openapi-document.ts': 'openapi.yaml as it was read: nothing changes it',
  'shared/normalize/boat-makers.ts': 'a table from files, read at first use',
  'shared/normalize/country.ts': 'a table from files, read at first use',
  'shared/places/postal-areas.ts': 'a table from files, read at first use',
  'shared/places/towns.ts': 'a table from files, read at first use',
  'workers/new-job.ts': 'the text of a test',
  'shared/moderation/find-terms.ts':
    'the phrases of a marketplace, compiled: derived from its lists alone, and gone with them',
};

test('nothing hides its state at module level or in a WeakMap: it is a member of the services', () => {
  const hiding = Object.keys(mayImport)
    .flatMap(sources)
    .filter((file) => /new WeakMap|^(?:export )?let /m.test(readFileSync(join(root, file), 'utf8')));
  expect(hiding.toSorted()).toEqual(Object.keys(moduleState).toSorted());
});

test('http/ knows no thing of the marketplace: it is handed the cache tags, the owners and the effects', () => {
  const withoutComments = (text: string) => text.replaceAll(/\/\*[^]*?\*\/|\/\/.*$/gm, '');
  const knowing = sources('api/http').filter((file) =>
    /listing|rental/i.test(withoutComments(readFileSync(join(root, file), 'utf8'))),
  );
  expect(knowing).toEqual([]);
});

test('config.ts alone reads the environment, but for the SDK, which runs elsewhere', () => {
  const readers = Object.keys(mayImport)
    .flatMap(sources)
    .filter((file) => !/^api\/sdk\/(?:src\/cli|examples)\//.test(file))
    .filter((file) => /process\.env\b/.test(readFileSync(join(root, file), 'utf8')));
  expect(readers.filter((file) => file !== 'shared/kit/config.ts')).toEqual([]);
});

test("queues/inspect.ts alone names pg-boss' tables", () => {
  const readers = Object.keys(mayImport)
    .flatMap(sources)
    .filter((file) => /pgboss\./.test(readFileSync(join(root, file), 'utf8')));
  expect(readers).toEqual(['shared/queues/inspect.ts']);
});

test('every operation of openapi.yaml lives in the folder of its tag', () => {
  const texts = new Map<string, string>();
  const folder = (tag: string) => {
    const known =
      texts.get(tag) ??
      sources(`api/${tag}`)
        .map((file) => readFileSync(join(root, file), 'utf8'))
        .join('\n');
    texts.set(tag, known);
    return known;
  };
  const strays = readContract().operations.filter(
    ({ id, tag }) => !new RegExp(`export const ${id}\\b`).test(folder(tag)),
  );
  expect(strays.map(({ id }) => id)).toEqual([]);
  expect(Object.keys(handlers).toSorted()).toEqual(
    readContract()
      .operations.map(({ id }) => String(id))
      .toSorted(),
  );
});

test('every queue has a file of its name in the room that works it', () => {
  const missing = queueNames.filter(
    (name) => !sources(queueOf(name).worker).includes(`${queueOf(name).worker}/${name}.ts`),
  );
  expect(missing).toEqual([]);
});

test('the top level is what it is meant to be', () => {
  const expected = [
    'LICENSE',
    'Procfile',
    'README.md',
    'api',
    'db',
    'openapi.yaml',
    'package-lock.json',
    'package.json',
    'scrapers',
    'shared',
    'test',
    'tsconfig.json',
    'workers',
  ];
  const dotless = readdirSync(root).filter(
    (name) => !name.startsWith('.') && name !== 'node_modules' && name !== 'coverage',
  );
  expect(dotless.toSorted()).toEqual(expected.toSorted());
});

test('what tests share registers no hooks when it is loaded: most files run in one process, which loads it once', () => {
  const shared = sources('test').filter((file) => !file.endsWith('.test.ts') && file !== 'test/support/every-file.ts');
  const texts = shared.map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }));
  expect(texts.filter(({ text }) => /^(?:before|after)(?:All|Each)\(/m.test(text)).map(({ file }) => file)).toEqual([]);
});

test('no test file loads another, which the process may have loaded before', () => {
  const strays = sources('test').flatMap((file) => importsOf(file).filter((target) => target.endsWith('.test.ts')));
  expect(strays).toEqual([]);
});
