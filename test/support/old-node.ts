import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** A Node of this machine, outside of the packages, that is older than what the programs need; undefined where there is none. */
export function findOldNode(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'));
  return folders
    .map((folder) => join(folder, 'node'))
    .filter((node) => existsSync(node))
    .find((node) => Number(/^v(\d+)/.exec(execFileSync(node, ['--version'], { encoding: 'utf8' }))?.[1]) < 24);
}
