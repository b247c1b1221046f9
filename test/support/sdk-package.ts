import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSdk } from '../../api/sdk/build.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A folder in which the SDK is installed as from a registry: built, packed by npm, unpacked, with its dependencies beside it. */
export function installSdk(): string {
  const folder = mkdtempSync(join(tmpdir(), 'quayside-sdk-'));
  const source = join(folder, 'source');
  for (const name of ['package.json', 'README.md', 'src', 'examples'])
    cpSync(join(root, 'api/sdk', name), join(source, name), { recursive: true });
  buildSdk(join(source, 'dist'));
  const packed = execFileSync('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder], {
    cwd: source,
    encoding: 'utf8',
  });
  execFileSync('tar', ['-xzf', join(folder, packed.trim()), '-C', folder]);
  const modules = join(folder, 'node_modules');
  mkdirSync(modules);
  cpSync(join(folder, 'package'), join(modules, 'quayside'), { recursive: true });
  for (const name of ['openapi-fetch', 'openapi-typescript-helpers', 'yaml', '@types', 'undici-types'])
    symlinkSync(join(root, 'node_modules', name), join(modules, name));
  cpSync(join(root, 'api/sdk/examples'), join(folder, 'examples'), { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  return folder;
}
