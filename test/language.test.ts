import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The folders whose names are held to the words of the field. */
const held = ['api', 'db', 'scrapers', 'shared', 'workers'];

const bannedLimits = /^(?:MOST|LONGEST|SHORTEST|FEWEST|LEAST|DEEPEST|LARGEST)(?:_|$)/;
const bannedParts = /^(?:sketch|shelf|shelve|bury|impoverish|picture|pictures|pictured)$/i;
const bannedNames = new Set([
  'seekWords',
  'stagesOf',
  'straysOf',
  'howOthersStand',
  'considerOthers',
  'passOn',
  'gather',
  'walk',
]);
/** Handlers are called as their queues, whose names are stored in every database. */
const namedByQueues = new Set(['collectPictures', 'deletePictures']);
const bannedTypes = new Set(['Row', 'Rows', 'Asked', 'Dependencies', 'Parts', 'Known', 'Found', 'Options']);

const sources = (folder: string) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.gen.ts') && !name.startsWith('sdk/dist/'))
    .map((name) => join(folder, name));

const read = (file: string) => readFileSync(join(root, file), 'utf8');

/** A source without comments. */
const codeOf = (file: string) => read(file).replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');

const exportsOf = (file: string) =>
  [...read(file).matchAll(/^export (?:async )?(function\*?|const|let|class|type|enum) (\w+)/gm)].map(
    ([, kind = '', name = '']) => ({ file, kind, name }),
  );

/** `readHTMLText` and `MAX_TEXT` are three and two words. */
const wordsIn = (name: string) => name.split(/_|(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/);

const exported = held.flatMap(sources).flatMap(exportsOf);

test('limits are MAX_ and MIN_, so that one search finds them', () => {
  const strays = held
    .flatMap(sources)
    .flatMap((file) =>
      [...codeOf(file).matchAll(/\bconst ([A-Z][A-Z\d_]*)\b/g)].map(([, name = '']) => `${file} ${name}`),
    )
    .filter((each) => bannedLimits.test(each.split(' ')[1] ?? ''));
  expect(strays).toEqual([]);
});

test('exported names use the words of the field, and images are not called pictures', () => {
  const strays = exported.filter(
    ({ name }) =>
      bannedNames.has(name) || (!namedByQueues.has(name) && wordsIn(name).some((word) => bannedParts.test(word))),
  );
  expect(strays).toEqual([]);
});

test('an exported type says what it is a type of', () => {
  const nameless = exported.filter(({ kind, name }) => kind === 'type' && bannedTypes.has(name));
  expect(nameless).toEqual([]);
});

test('an exported function has no namesake anywhere', () => {
  const functions = held
    .flatMap(sources)
    .flatMap((file) =>
      [...read(file).matchAll(/^export (?:(?:async )?function\*? (\w+)|const (\w+) = (?:async )?\()/gm)].map(
        ([, declared, assigned]) => ({ file, name: declared ?? assigned ?? '' }),
      ),
    );
  const twice = [...Map.groupBy(functions, ({ name }) => name)]
    .filter(([, all]) => all.length > 1)
    .map(([name, all]) => `${name}: ${all.map(({ file }) => file).join(', ')}`);
  expect(twice).toEqual([]);
});
