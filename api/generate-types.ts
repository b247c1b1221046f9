import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const contract = fileURLToPath(new URL('../openapi.yaml', import.meta.url));
const target = fileURLToPath(new URL('openapi.gen.ts', import.meta.url));
/** The generator needs the JavaScript API of TypeScript 5, which the project's own TypeScript 7 does not have. */
const packages = ['openapi-typescript@7.13.0', 'typescript@5.9.3'];
/** A field with a default may be left out of a request; answers name theirs in `required`. */
const options = ['--default-non-nullable', 'false'];

/** The first line of the generated types: names the exact contract they were made from. */
export function freshnessLine(contractBytes: Buffer): string {
  return `// sha256 of openapi.yaml: ${createHash('sha256').update(contractBytes).digest('hex')}`;
}

/** Writes `api/openapi.gen.ts` from `openapi.yaml`; it throws, and leaves the file as it was, when npm or the generator fails. */
export function generateTypes(): void {
  const flags = packages.map((name) => `--package=${name}`);
  const { status, stdout } = spawnSync(
    'npm',
    ['exec', '--yes', ...flags, '--', 'openapi-typescript', contract, ...options],
    {
      encoding: 'utf8',
      maxBuffer: 64 * 1_048_576,
      stdio: ['ignore', 'pipe', 'inherit'],
      timeout: 300_000,
    },
  );
  if (status !== 0) throw new Error('openapi-typescript failed; its own message is above.');
  writeFileSync(target, `${freshnessLine(readFileSync(contract))}\n${stdout}`);
}

if (import.meta.main) generateTypes();
