import { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';

/** Browsers read compressed bodies whose last block was cut off; so does this. */
const lenient = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };

/** More layers than any honest server applies would only cost memory. */
const MAX_LAYERS = 3;

/** The streams that undo a Content-Encoding header, in the order to apply them; undefined when one of them is unknown. */
export function createDecoders(contentEncoding: string): Duplex[] | undefined {
  const encodings = contentEncoding
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity');
  if (encodings.length > MAX_LAYERS) return undefined;
  const decoders = encodings.toReversed().map((encoding) => {
    if (encoding === 'gzip' || encoding === 'x-gzip') return createGunzip(lenient);
    if (encoding === 'br') return createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH });
    return encoding === 'deflate' ? Duplex.from(inflateEither) : undefined;
  });
  return decoders.every((decoder) => decoder !== undefined) ? decoders : undefined;
}

/** `deflate` is zlib by the standard and raw deflate by some servers: the first byte tells them apart. */
async function* inflateEither(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const chunks = source[Symbol.asyncIterator]();
  const first = await chunks.next();
  if (first.done) return;
  async function* all() {
    for (let next = first; !next.done; next = await chunks.next()) yield next.value;
  }
  const inflate = ((first.value[0] ?? 0) & 0x0f) === 8 ? createInflate(lenient) : createInflateRaw(lenient);
  const fed = pipeline(all(), inflate);
  // A failure destroys `inflate` with the same error, so reading it below reports it.
  fed.catch(() => undefined);
  yield* inflate;
}
