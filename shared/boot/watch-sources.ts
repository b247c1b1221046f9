import { watch } from 'node:fs';

/** An editor writes a file in several steps, and a checkout many files. */
const SETTLE_MS = 150;
const DOORS = ['api', 'workers', 'scrapers'];
const watched = [...DOORS, 'shared', 'db', 'openapi.yaml'];

/**
 * Calls `onChange` with the processes that changed sources concern: a door's own files its process, everything else all of
 * them. Generated types are loaded by none. (`node --watch` would not do: it sends its messages through our worker threads.)
 */
export function watchSources(onChange: (processes: string[]) => void): void {
  const changed = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  for (const name of watched)
    watch(name, { recursive: true }, (_event, file) => {
      if (file === null || !/\.(?:ts|js|sql|json|yaml)$/.test(file) || file.endsWith('.gen.ts')) return;
      changed.add(name);
      clearTimeout(timer);
      timer = setTimeout(() => {
        const isCommon = [...changed].some((each) => !DOORS.includes(each));
        onChange(isCommon ? DOORS : [...changed]);
        changed.clear();
      }, SETTLE_MS);
    }).unref();
}
