import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { renderSdkSample } from '../../../api/docs/code-samples.ts';
import { readContract } from '../../../api/http/contract.ts';
import { installSdk } from '../../support/sdk-package.ts';

const tsc = fileURLToPath(new URL('../../../node_modules/typescript/bin/tsc', import.meta.url));
const guides = fileURLToPath(new URL('../../../api/docs/guides/', import.meta.url));
const contract = readContract();

let folder: string;
beforeAll(() => {
  folder = installSdk();
  mkdirSync(join(folder, 'samples'));
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('each operation without a form, and the upload, has a sample of the SDK', () => {
  const without = contract.operations.filter(
    (each) => renderSdkSample(contract, each, 'https://example.com') === undefined,
  );
  expect(without.filter(({ form }) => !form)).toEqual([]);
  expect(contract.operations.filter(({ form }) => form).length - without.length).toBe(1);
});

test(
  'every sample of the reference and every TypeScript block of the guides compiles strictly against the packed SDK',
  { timeout: 120_000 },
  () => {
    const samples = contract.operations.flatMap((each) => {
      const source = renderSdkSample(contract, each, 'https://example.com');
      return source === undefined ? [] : [[each.id, source] as const];
    });
    const blocks = readdirSync(guides).flatMap((name) =>
      [...readFileSync(join(guides, name), 'utf8').matchAll(/^```ts\n([^]*?)^```$/gm)].map(
        ([, block = ''], index) => [`${name}-${index}`, block] as const,
      ),
    );
    expect(blocks.length).toBeGreaterThan(4);
    for (const [name, source] of [...samples, ...blocks]) writeFileSync(join(folder, 'samples', `${name}.ts`), source);
    const compilerOptions = {
      strict: true,
      noEmit: true,
      target: 'es2023',
      module: 'nodenext',
      lib: ['es2023'],
      types: ['node'],
      skipLibCheck: true,
    };
    writeFileSync(join(folder, 'samples.json'), JSON.stringify({ compilerOptions, include: ['samples/*.ts'] }));
    const { stdout } = spawnSync(process.execPath, [tsc, '-p', 'samples.json'], { cwd: folder, encoding: 'utf8' });
    expect(stdout).toBe('');
  },
);
