import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { dirname, extname, join, relative, sep } from 'node:path';
import { HOUR_MS } from '../kit/clock.ts';
import { ServiceError, unavailable } from '../kit/errors.ts';
import { assertStorageKey, isStorageKey, publicUrlOf } from './storage-key.ts';
import type { Storage, StoredFile, UnfinishedFile } from './storage.ts';

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
/** As large as an image may become. */
const MIN_FREE_BYTES = 1_048_576;

/** A Storage in a folder. Content types follow the ending of the key, cache headers are left to whoever serves the files. */
export function createDiskStorage(options: { folder: string; publicUrl: string | undefined }): Storage {
  const { folder, publicUrl } = options;
  const pathOf = (key: string) => join(folder, ...key.split('/'));

  const workshop = join(folder, UNFINISHED);
  let swept: Promise<void> | undefined;

  /** A new path in the workshop, with every folder there that a file at `path` needs. */
  async function prepare(path: string): Promise<string> {
    swept ??= removeAbandoned(workshop);
    await swept.catch((error: unknown) => {
      swept = undefined;
      throw error;
    });
    for (const needed of [workshop, dirname(path)]) await mkdir(needed, { recursive: true });
    return join(workshop, randomUUID());
  }

  async function put(path: string, body: Buffer): Promise<void> {
    const unfinished = await prepare(path);
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

    async begin(key) {
      assertStorageKey(key);
      const unfinished = await guarded(prepare(pathOf(key)));
      return guarded(beginFile(unfinished, pathOf(key)));
    },

    async read(key) {
      const found = isStorageKey(key) && (await guarded(stat(pathOf(key)).catch(undefinedIfMissing)));
      return found && found.isFile() ? readPieces(pathOf(key)) : undefined;
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

    healthy: () => isWritable(workshop),
  };
}

/** Whether a file can be written to a folder, which is made where it is missing, and its disk has room for an image. */
export async function isWritable(folder: string): Promise<boolean> {
  const probe = join(folder, randomUUID());
  try {
    await mkdir(folder, { recursive: true });
    const { bavail, bsize } = await statfs(folder);
    if (bavail * bsize < MIN_FREE_BYTES) return false;
    await writeFile(probe, 'ok');
    return true;
  } catch {
    return false;
  } finally {
    await rm(probe, { force: true }).catch(() => undefined);
  }
}

/** Only the owner of the service may read what is stored in pieces: it is large, and may be a backup. */
async function beginFile(unfinished: string, path: string): Promise<UnfinishedFile> {
  const handle = await open(unfinished, 'wx', 0o600);
  return {
    write: (chunk) => guarded(handle.writeFile(chunk)),
    async finish() {
      await guarded(handle.sync());
      await handle.close();
      await guarded(rename(unfinished, path));
    },
    async abandon() {
      await handle.close();
      await guarded(rm(unfinished, { force: true }));
    },
  };
}

async function* readPieces(path: string): AsyncGenerator<Buffer> {
  const pieces = createReadStream(path, { highWaterMark: 256 * 1024 })[Symbol.asyncIterator]();
  for (;;) {
    const { value, done } = await guarded<IteratorResult<Buffer>>(pieces.next());
    if (done) return;
    yield value;
  }
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
