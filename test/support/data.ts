import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../shared/data/', import.meta.url));

/** The absolute path of a file of the shared data folder, or undefined (said once on stderr) where the folder is absent. */
export function dataFile(name: string): string | undefined {
  const path = root + name;
  if (existsSync(path)) return path;
  console.warn(`skipped: the shared data file ${name} is not here`);
  return undefined;
}
