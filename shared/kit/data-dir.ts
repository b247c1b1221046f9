import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { errorCode } from '../../db/errors.ts';
import { ConfigError } from './config.ts';

/** More than a file system keeps beside the name of a file: a full disk refuses it. */
const PROBE_BYTES = 65_536;

/** Makes DATA_DIR where it is missing, and writes to it: throws a ConfigError of one line that names it and says why not. */
export function ensureDataDir(dataDir: string): void {
  const probe = join(dataDir, `probe-${process.pid}`);
  try {
    mkdirSync(dataDir, { recursive: true });
    try {
      writeFileSync(probe, Buffer.alloc(PROBE_BYTES));
    } finally {
      rmSync(probe, { force: true });
    }
  } catch (error) {
    throw asDataDirError(error, dataDir);
  }
}

/** What the file system refused below DATA_DIR, as a ConfigError of one line; any other error as it is. */
export function asDataDirError(error: unknown, dataDir: string): unknown {
  const code = errorCode(error);
  if (!(error instanceof Error) || error instanceof ConfigError || !code) return error;
  // Writing to an open file tells no path.
  const { path = code === 'ENOSPC' ? dataDir : undefined } = error as NodeJS.ErrnoException;
  if (path === undefined || relative(dataDir, path).startsWith('..')) return error;
  const reason = ['EEXIST', 'ENOTDIR'].includes(code)
    ? `it, or what is above it, is not a folder (${code})`
    : error.message.replace(/, \w+(?: '.*)?$/s, '');
  return new ConfigError(`DATA_DIR: ${path} cannot be used: ${reason}`, { cause: error });
}
