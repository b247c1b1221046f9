import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('.', import.meta.url));
const compiler = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url));
const license = fileURLToPath(new URL('../../LICENSE', import.meta.url));

/** Compiles the package, with the types of the contract, to plain ESM and declarations in `dist/`; throws what tsc complains of. */
export function buildSdk(outDir = join(folder, 'dist')): void {
  rmSync(outDir, { recursive: true, force: true });
  execFileSync(process.execPath, [compiler, '-p', folder, '--outDir', outDir], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  for (const name of readdirSync(outDir, { recursive: true, encoding: 'utf8' }))
    if (name.endsWith('.d.ts')) nameEmittedFiles(join(outDir, name));
  cpSync(license, join(outDir, 'LICENSE'));
  chmodSync(join(outDir, 'sdk/src/cli/main.js'), 0o755);
}

/** Declarations still import `./x.ts`, which tsc rewrites in JavaScript alone: other tools look for that very file. */
function nameEmittedFiles(file: string): void {
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replaceAll(/(from |import\()(['"])(\.[^'"]+)\.ts\2/g, '$1$2$3.js$2'));
}

if (import.meta.main) buildSdk();
