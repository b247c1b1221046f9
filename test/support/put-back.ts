import { rmSync } from 'node:fs';
import { vi } from 'vitest';
import { makeTestFolder } from './folders.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Remembers what the files of a process share, and gives it a folder for what is temporary. The function that it answers puts
 * everything back: the environment, the working directory, the clock, spied functions, handlers of signals; the folder is gone.
 */
export function rememberState(): () => void {
  const before = {
    env: { ...process.env },
    folder: process.cwd(),
    handlers: SIGNALS.map((name) => process.listeners(name)),
  };
  const temporary = makeTestFolder();
  process.env['TMPDIR'] = temporary;

  return () => {
    vi.useRealTimers();
    vi.restoreAllMocks();
    process.chdir(before.folder);
    for (const name of Object.keys(process.env)) if (!(name in before.env)) delete process.env[name];
    Object.assign(process.env, before.env);
    SIGNALS.forEach((name, at) => {
      for (const handler of process.listeners(name))
        if (!before.handlers[at]?.includes(handler)) process.removeListener(name, handler);
    });
    rmSync(temporary, { recursive: true, force: true });
  };
}
