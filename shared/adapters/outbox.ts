import { createHash } from 'node:crypto';
import { chmod, mkdir, open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

/** The recipient stands within the first so many bytes of a message. */
const HEADER_BYTES = 16_384;

/** Writes a message as `<date>_<message id>.eml`, readable for its owner alone; a repeated one replaces its earlier file. */
export async function writeToOutbox(
  folder: string,
  messageId: string,
  at: Date,
  eml: Buffer | Readable,
): Promise<void> {
  // Links in mails log in: they are for the owner of the folder alone.
  await mkdir(folder, { recursive: true });
  await chmod(folder, 0o700);
  const digest = createHash('sha256').update(messageId).digest('hex').slice(0, 12);
  const ending = `_${messageId.replace(/[^\w.@-]/g, '').slice(0, 100)}_${digest}.eml`;
  const date = at.toISOString().slice(0, 19).replaceAll(':', '-');
  const earlier = (await readdir(folder)).find((name) => name.endsWith(ending));
  const path = join(folder, earlier ?? date + ending);
  const unfinished = `${path}.unfinished`;
  try {
    await writeFile(unfinished, eml, { mode: 0o600 });
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}

/** Deletes the messages to an address. One that another process takes away meanwhile is no error, nor is an outbox that was never made. */
export async function deleteFromOutbox(folder: string, address: string): Promise<void> {
  const names = await readdir(folder).catch(undefinedIfMissing);
  for (const name of names ?? []) {
    const path = join(folder, name);
    const header = await readHeader(path).catch(undefinedIfMissing);
    const recipient = header && /^To: *<?([^\r\n>]*)/im.exec(header)?.[1]?.trim().toLowerCase();
    if (recipient === address.toLowerCase()) await rm(path, { force: true });
  }
}

async function readHeader(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0);
    return buffer.toString('utf8', 0, bytesRead).split('\r\n\r\n', 1)[0] ?? '';
  } finally {
    await file.close();
  }
}

function undefinedIfMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT') return undefined;
  throw error;
}
