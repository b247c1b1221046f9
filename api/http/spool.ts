import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { unavailable } from '../../shared/kit/errors.ts';

/** What arrived in a file: on disk without a name, so that not even a killed process leaves it behind. */
export type Spooled = {
  size: number;
  sha256: string;
  /** All of it. */
  read(): Promise<Buffer>;
  /** The same in pieces, for what is large. */
  pieces(): AsyncIterable<Buffer>;
  /** Gives the disk space back. */
  discard(): Promise<void>;
};

/** The files on disk of all uploads of a process that are being received or worked on. */
export type Spool = {
  /** Takes a place for one more form; `service_unavailable` when all are taken. What is returned gives it back. */
  enter(): () => void;
  /**
   * Writes a stream to disk. A full or broken disk, or too much there already, is `service_unavailable`; the rest of the
   * stream is read all the same, since whoever takes the form apart would be told of a stream that was cut.
   */
  write(stream: Readable): Promise<Spooled>;
};

/** Forms that are being received or worked on; more of them are asked to come again. */
const MAX_FORMS = 128;
const MAX_BYTES = 2_147_483_648;
const PIECE_BYTES = 262_144;

/** Opens the spool in a folder, which it empties: a name in it is one that its process had no time to take away. */
export function createSpool(folder: string): Spool {
  let forms = 0;
  let bytes = 0;
  let ready: Promise<void> | undefined;

  /** A folder that cannot be made now is tried again with the next upload. */
  function prepare(): Promise<void> {
    ready ??= emptyFolder(folder).catch((error: unknown) => {
      ready = undefined;
      throw error;
    });
    return ready;
  }

  async function openNameless(): Promise<FileHandle> {
    try {
      await prepare();
      const path = join(folder, randomUUID());
      const handle = await open(path, 'wx+', 0o600);
      await rm(path, { force: true });
      return handle;
    } catch (error) {
      throw unavailable('Uploads cannot be received at the moment.', error);
    }
  }

  async function fill(handle: FileHandle, stream: Readable): Promise<Spooled> {
    const hash = createHash('sha256');
    let size = 0;
    const discard = async () => {
      bytes -= size;
      await handle.close();
    };
    try {
      for await (const chunk of stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        size += chunk.length;
        bytes += chunk.length;
        if (bytes > MAX_BYTES) throw unavailable('Too many uploads are under way.');
        hash.update(chunk);
        for (let written = 0; written < chunk.length;)
          written += (await handle.write(chunk, written, chunk.length - written)).bytesWritten;
      }
      return {
        size,
        sha256: hash.digest('hex'),
        read: () => readAll(handle, size),
        pieces: () => readPieces(handle, size),
        discard,
      };
    } catch (error) {
      await discard();
      throw isDiskError(error) ? unavailable('Uploads cannot be received at the moment.', error) : error;
    }
  }

  // At the start, not with the first upload; a folder that cannot be made matters only then.
  prepare().catch(() => undefined);
  return {
    enter() {
      if (forms >= MAX_FORMS) throw unavailable('Too many uploads are under way; try again shortly.');
      forms += 1;
      return () => void (forms -= 1);
    },
    async write(stream) {
      try {
        return await fill(await openNameless(), stream);
      } catch (error) {
        stream.resume();
        throw error;
      }
    },
  };
}

async function emptyFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const name of await readdir(folder)) await rm(join(folder, name), { force: true });
}

async function* readPieces(handle: FileHandle, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < size;) {
    const piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, size - at));
    const { bytesRead } = await handle.read(piece, 0, piece.length, at);
    if (bytesRead === 0) throw new Error(`a spooled file of ${size} bytes ends at ${at}`);
    at += bytesRead;
    yield piece.subarray(0, bytesRead);
  }
}

async function readAll(handle: FileHandle, size: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(size);
  for (let at = 0; at < size;) {
    const { bytesRead } = await handle.read(bytes, at, size - at, at);
    if (bytesRead === 0) throw new Error(`a spooled file of ${size} bytes ends at ${at}`);
    at += bytesRead;
  }
  return bytes;
}

const isDiskError = (error: unknown) =>
  error instanceof Error && 'syscall' in error && (error.syscall === 'write' || error.syscall === 'open');
