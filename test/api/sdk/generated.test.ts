import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { readBundledContract, renderOperations, renderReadme } from '../../../api/sdk/generate.ts';
import { publicEvents } from '../../../shared/journal/public-events.ts';

const folder = fileURLToPath(new URL('../../../api/sdk/', import.meta.url));
const read = (name: string) => readFileSync(join(folder, name), 'utf8');
type Schema = { $ref?: string; properties?: Record<string, { default?: unknown }>; required?: string[] };
const manifestOf = (text: string) => JSON.parse(text) as { dependencies: Record<string, string>; version: string };

test('the operations that take an Idempotency-Key, and the table of events, are those of the contract', () => {
  const contract = readBundledContract();
  expect(read('src/operations.gen.ts'), 'npm run generate').toBe(renderOperations(contract));
  expect(read('README.md'), 'npm run generate').toBe(renderReadme(read('README.md'), contract));
});

test('the table of events has a row for each type that the journal knows, and the ping', () => {
  const rows = [...read('README.md').matchAll(/^\| `([a-z_.]+)` \|/gm)].map(([, type]) => type);
  expect(new Set(rows)).toEqual(new Set([...publicEvents, 'ping']));
});

test('the code of the README is that of the examples, each of which is there', () => {
  const blocks = [...read('README.md').matchAll(/```ts\n(.*?)```/gs)].map(([, code]) => code);
  const examples = readdirSync(join(folder, 'examples')).map((name) => read(`examples/${name}`));
  expect(new Set(blocks)).toEqual(new Set(examples));
});

test('what the package needs at run time is in the one lockfile, in the same versions', () => {
  const root = manifestOf(readFileSync(join(folder, '../../package.json'), 'utf8'));
  expect(root.dependencies).toMatchObject(manifestOf(read('package.json')).dependencies);
  expect(manifestOf(read('package.json')).version).toBe(root.version);
});

test('what answers hold of fields with defaults is always there, so that their types may be left out of requests alone', () => {
  const { paths, webhooks, components } = readBundledContract() as unknown as Record<string, object>;
  const optional: string[] = [];
  const seen = new Set<string>();
  const visit = (node: unknown, where: string): void => {
    if (typeof node !== 'object' || node === null) return;
    const { $ref, properties = {}, required = [] } = node as Schema;
    for (const [name, each] of Object.entries(properties))
      if (each.default !== undefined && !required.includes(name)) optional.push(`${where}.${name}`);
    if ($ref?.startsWith('#/components/') && !seen.has($ref)) {
      seen.add($ref);
      const [, kind = '', name = ''] = $ref.slice(2).split('/');
      visit((components as Record<string, Record<string, object>>)[kind]?.[name], name);
    }
    for (const [key, each] of Object.entries(node)) visit(each, key.startsWith('/') ? key : where);
  };
  for (const item of Object.values(paths!))
    for (const operation of Object.values(item as object)) visit((operation as { responses?: object }).responses, '');
  visit(webhooks, 'webhooks');
  expect(seen.size).toBeGreaterThan(50);
  expect(optional).toEqual([]);
});
