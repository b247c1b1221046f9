import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, extname, join, relative, sep } from 'node:path';
import { HOUR_MS } from '../clock.ts';
import { ServiceError, unavailable } from '../errors.ts';
import { assertStorageKey, isStorageKey, publicUrlOf } from './storage-key.ts';
import type { Storage, StoredFile } from './storage.ts';

const contentTypes = new Map([
  ['.webp', 'image/webp'],
  ['.png', 'image/png'],
  ['.jpg', 'image/jpeg'],
  ['.avif', 'image/avif'],
  ['.json', 'application/json'],
  ['.txt', 'text/plain; charset=utf-8'],
]);

/** The folder of files still being written: no key starts with a dot, so nothing else sees them. */
const UNFINISHED = '.unfinished';
/** Writing a file takes seconds: whoever began one before that has died. */
const ABANDONED_MS = HOUR_MS;

/** A Storage in a folder. Content types follow the ending of the key, cache headers are left to whoever serves the files. */
export function createDiskStorage(options: { folder: string; publicUrl: string | undefined }): Storage {
  const { folder, publicUrl } = options;
  const pathOf = (key: string) => join(folder, ...key.split('/'));

  const workshop = join(folder, UNFINISHED);
  let swept: Promise<void> | undefined;

  async function put(path: string, body: Buffer): Promise<void> {
    swept ??= removeAbandoned(workshop);
    await swept.catch((error: unknown) => {
      swept = undefined;
      throw error;
    });
    const unfinished = join(workshop, randomUUID());
    for (const needed of [workshop, dirname(path)]) await mkdir(needed, { recursive: true });
    try {
      // Flushed before it is renamed: after a power cut the name never stands for an empty file.
      await writeFile(unfinished, body, { flush: true });
      await rename(unfinished, path);
    } catch (error) {
      await rm(unfinished, { force: true });
      throw error;
    }
  }

  return {
    async put(key, body) {
      assertStorageKey(key);
      await guarded(put(pathOf(key), body));
    },

    async get(key) {
      if (!isStorageKey(key)) return undefined;
      const body = await guarded(readFile(pathOf(key)).catch(undefinedIfMissing));
      return body && { body, contentType: contentTypes.get(extname(key)) ?? 'application/octet-stream' };
    },

    async delete(keys) {
      await guarded(Promise.all(keys.filter(isStorageKey).map((key) => rm(pathOf(key), { force: true }))));
    },

    async exists(key) {
      if (!isStorageKey(key)) return false;
      const found = await guarded(stat(pathOf(key)).catch(undefinedIfMissing));
      return found?.isFile() ?? false;
    },

    async *list(prefix) {
      const folders = prefix.split('/').slice(0, -1);
      if (folders.length > 0 && !isStorageKey(folders.join('/'))) return;
      for await (const file of walk(join(folder, ...folders))) {
        const key = relative(folder, file.path).split(sep).join('/');
        if (isStorageKey(key) && key.startsWith(prefix)) yield { ...file.entry, key };
      }
    },

    url: (key) => publicUrlOf(publicUrl, key),

    async healthy() {
      const probe = join(workshop, randomUUID());
      try {
        await mkdir(workshop, { recursive: true });
        await writeFile(probe, 'ok');
        await rm(probe);
        return true;
      } catch {
        return false;
      }
    },
  };
}

/** Removes what processes that died have left unfinished. */
async function removeAbandoned(workshop: string): Promise<void> {
  for (const name of (await readdir(workshop).catch(undefinedIfMissing)) ?? []) {
    const path = join(workshop, name);
    const found = await stat(path).catch(undefinedIfMissing);
    if (found && found.mtimeMs < Date.now() - ABANDONED_MS) await rm(path, { force: true });
  }
}

async function* walk(folder: string): AsyncGenerator<{ path: string; entry: Omit<StoredFile, 'key'> }> {
  const entries = (await guarded(readdir(folder, { withFileTypes: true }).catch(undefinedIfMissing))) ?? [];
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* walk(path);
    else {
      const found = await guarded(stat(path).catch(undefinedIfMissing));
      if (found) yield { path, entry: { size: found.size, modifiedAt: found.mtime } };
    }
  }
}

function undefinedIfMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR' || error.code === 'EISDIR') return undefined;
  throw error;
}

/** A full, read-only or broken disk is an outage of the store, not a fault of the caller. */
async function guarded<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    throw error instanceof ServiceError ? error : unavailable('The file storage is unavailable.', error);
  });
}
