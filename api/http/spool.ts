import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { unavailable } from '../../shared/kit/errors.ts';

/** What arrived in a file: kept on disk without a name, so that not even a killed process leaves it behind. */
export type Spooled = { handle: FileHandle; size: number; sha256: string };

/** For all uploads of a process that are being received or worked on. */
const MAX_SPOOLED_BYTES = 2_147_483_648;
let spooledBytes = 0;
const folders = new Map<string, Promise<void>>();

/** Makes the folder for spooled files, and empties it: a name in it is one that its process had no time to take away. */
export function prepareSpool(folder: string): Promise<void> {
  const known = folders.get(folder);
  if (known) return known;
  const made = emptyFolder(folder);
  // A folder that cannot be made now is tried again with the next upload.
  made.catch(() => folders.delete(folder));
  folders.set(folder, made);
  return made;
}

async function emptyFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const name of await readdir(folder)) await rm(join(folder, name), { force: true });
}

/**
 * Writes a stream to disk. A full or broken disk, or too much there already, is `service_unavailable`; the rest of the stream
 * is read all the same, since whoever takes the form apart would be told of a stream that was cut.
 */
export async function spool(folder: string, stream: Readable): Promise<Spooled> {
  try {
    return await write(await openNameless(folder), stream);
  } catch (error) {
    stream.resume();
    throw error;
  }
}

async function write(handle: FileHandle, stream: Readable): Promise<Spooled> {
  const hash = createHash('sha256');
  let size = 0;
  try {
    for await (const chunk of stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      spooledBytes += chunk.length;
      if (spooledBytes > MAX_SPOOLED_BYTES) throw unavailable('Too many uploads are under way.');
      hash.update(chunk);
      for (let written = 0; written < chunk.length;)
        written += (await handle.write(chunk, written, chunk.length - written)).bytesWritten;
    }
    return { handle, size, sha256: hash.digest('hex') };
  } catch (error) {
    await unspool({ handle, size });
    throw isDiskError(error) ? unavailable('Uploads cannot be received at the moment.', error) : error;
  }
}

async function openNameless(folder: string): Promise<FileHandle> {
  try {
    await prepareSpool(folder);
    const path = join(folder, randomUUID());
    const handle = await open(path, 'wx+', 0o600);
    await rm(path, { force: true });
    return handle;
  } catch (error) {
    throw unavailable('Uploads cannot be received at the moment.', error);
  }
}

/** All that was spooled. */
export async function readSpooled({ handle, size }: Spooled): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(size);
  for (let at = 0; at < size;) {
    const { bytesRead } = await handle.read(bytes, at, size - at, at);
    if (bytesRead === 0) throw new Error(`a spooled file of ${size} bytes ends at ${at}`);
    at += bytesRead;
  }
  return bytes;
}

/** Gives the disk space back. */
export async function unspool({ handle, size }: Pick<Spooled, 'handle' | 'size'>): Promise<void> {
  spooledBytes -= size;
  await handle.close();
}

const isDiskError = (error: unknown) =>
  error instanceof Error && 'syscall' in error && (error.syscall === 'write' || error.syscall === 'open');
