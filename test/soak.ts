// npm run test:soak [-- PATH ...]: the files that sample, whole, with a new seed; then the contract behind PgBouncer in each of
// its modes. FC_SEED repeats a run.
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isPgBouncerInstalled } from './support/pgbouncer.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const tests = globSync('test/**/*.test.ts', { cwd: root }).toSorted();

/** The test files that do more in lane `soak`: those that sample, or run properties on random inputs. */
export const soakFiles = tests.filter((file) =>
  /\.\.\/support\/lane\.ts'|from 'fast-check'/.test(readFileSync(join(root, file), 'utf8')),
);

function runTests(title: string, files: string[], env: Record<string, string>): boolean {
  if (files.length === 0) return true;
  const variables = Object.entries(env).map((pair) => pair.join('='));
  console.log(`\n${title}: ${files.length} files. Again: ${variables.join(' ')} npm test -- FILE`);
  const vitest = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url));
  const args = [vitest, 'run', '--config', 'test/vitest.config.ts', ...files];
  return (
    spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } }).status === 0
  );
}

function main(paths: string[]): number {
  const isAsked = (file: string) => paths.length === 0 || paths.some((path) => file.includes(path));
  const FC_SEED = process.env['FC_SEED'] ?? String(Date.now() % 2 ** 31);
  const contract = tests.filter((file) => file.startsWith('test/contract/')).filter(isAsked);
  const modes = isPgBouncerInstalled() ? ['session', 'transaction'] : [];
  const passed = [
    runTests('Lane soak', soakFiles.filter(isAsked), { LANE: 'soak', FC_SEED }),
    ...modes.map((mode) => runTests(`The contract behind PgBouncer (${mode})`, contract, { PGBOUNCER: mode, FC_SEED })),
  ];
  return passed.every(Boolean) ? 0 : 1;
}

if (import.meta.main) process.exitCode = main(process.argv.slice(2));
