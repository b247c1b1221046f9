import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { FeedBroken } from './feed-item.ts';

const SNIFFED_BYTES = 4_096;
const PIECE_BYTES = 65_536;

export type DecodeOptions = {
  /** Of the whole, unpacked. */
  maxBytes: number;
  contentType?: string | undefined;
};

/**
 * Streams a feed as texts of at most 64 KB: unpacked when it is gzip, decoded by its byte order mark, else the charset of its
 * Content-Type, else its XML declaration, else as UTF-8, or windows-1252 when its beginning is none. Throws FeedBroken for gzip
 * that is damaged or cut off, and beyond `maxBytes`.
 */
export async function* decodeFeed(
  bytes: AsyncIterable<Buffer>,
  { maxBytes, contentType }: DecodeOptions,
): AsyncGenerator<string> {
  let size = 0;
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  for await (const piece of pieces(unpack(bytes))) {
    size += piece.length;
    if (size > maxBytes) throw new FeedBroken(`The feed has more than ${maxBytes} bytes.`);
    decoder ??= createDecoder(piece.subarray(0, SNIFFED_BYTES), contentType);
    yield decoder.decode(piece, { stream: true });
  }
  const rest = decoder?.decode() ?? '';
  if (rest !== '') yield rest;
}

async function* unpack(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const chunks = bytes[Symbol.asyncIterator]();
  const first = await chunks.next();
  if (first.done) return;
  async function* all(): AsyncGenerator<Buffer> {
    for (let next = first; !next.done; next = await chunks.next()) yield next.value;
  }
  if (first.value[0] !== 0x1f || first.value[1] !== 0x8b) return yield* all();
  const source = Readable.from(all(), { objectMode: false });
  const gunzip = createGunzip();
  source.on('error', (error) => gunzip.destroy(error));
  try {
    for await (const chunk of source.pipe(gunzip)) yield chunk as Buffer;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code?.startsWith('Z_'))
      throw new FeedBroken(`The gzip file is damaged or cut off (${(error as Error).message}).`, { cause: error });
    throw error;
  } finally {
    source.destroy();
  }
}

async function* pieces(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const chunk of chunks)
    for (let at = 0; at < chunk.length; at += PIECE_BYTES) yield chunk.subarray(at, at + PIECE_BYTES);
}

function createDecoder(head: Buffer, contentType: string | undefined) {
  const label = markOf(head) ?? charsetOf(contentType) ?? declaredIn(head);
  try {
    return new TextDecoder(label ?? (isUtf8Start(head) ? 'utf-8' : 'windows-1252'));
  } catch (error) {
    throw new FeedBroken(`Nobody knows the encoding '${(label ?? '').slice(0, 40)}'.`, { cause: error });
  }
}

function markOf(head: Buffer): string | undefined {
  if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) return 'utf-8';
  if ((head[0] === 0xfe && head[1] === 0xff) || (head[0] === 0 && head[1] === 0x3c)) return 'utf-16be';
  if ((head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0x3c && head[1] === 0)) return 'utf-16le';
  return undefined;
}

const charsetOf = (contentType: string | undefined): string | undefined =>
  /;\s*charset\s*=\s*["']?([^\s;"']+)/i.exec(contentType ?? '')?.[1];

const declaredIn = (head: Buffer): string | undefined =>
  /^\s*<\?xml\b[^>]{0,200}?\bencoding\s*=\s*["']([\w:.-]+)["']/i.exec(head.toString('latin1'))?.[1];

/** A character may be cut off at the end of what is looked at. */
function isUtf8Start(head: Buffer): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true });
    return true;
  } catch {
    return false;
  }
}
