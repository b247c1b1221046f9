import type { Request } from 'express';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { badRequest, ServiceError } from '../../shared/kit/errors.ts';

const decoders = new Map([
  ['gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

/**
 * Reads the body of a request, decompressed. 413 beyond `limit` bytes after decompression, told when the body has ended so that
 * simple clients read it; 408 when it has not ended after `withinMs`; 415 for an unknown coding; 400 for one that is cut or broken.
 */
export async function readBytes(request: Request, limit: number, withinMs: number): Promise<Buffer> {
  const source = decoded(request);
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const chunks: Buffer[] = [];
  let size = 0;
  const discardRest = () => {
    chunks.length = 0;
    size = Number.POSITIVE_INFINITY;
    request.unpipe();
    request.resume();
  };
  const declared = Number(request.headers['content-length'] ?? 0);
  if (source === request && declared > limit) discardRest();

  source.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= limit) chunks.push(chunk);
    else discardRest();
    if (size > limit && request.readableEnded) reject(tooLarge());
  });
  source.once('end', () => size <= limit && resolve(Buffer.concat(chunks)));
  source.once('error', () => reject(badRequest('The compressed body could not be read.')));
  request.once('end', () => size > limit && reject(tooLarge()));
  request.once('close', () => request.complete || reject(badRequest('The body did not arrive whole.')));
  request.once('error', () => reject(badRequest('The body did not arrive whole.')));
  const timer = setTimeout(() => {
    const isTooLarge = size > limit;
    discardRest();
    reject(isTooLarge ? tooLarge({ Connection: 'close' }) : tooSlow());
  }, withinMs);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    if (source !== request) source.destroy();
  }
}

const tooSlow = () =>
  new ServiceError('request_timeout', 'The body did not arrive in time.', { headers: { Connection: 'close' } });

const tooLarge = (headers: Record<string, string> = {}) =>
  new ServiceError('payload_too_large', 'The body is larger than this operation takes.', { headers });

function decoded(request: Request): Readable {
  const coding = (request.headers['content-encoding'] ?? 'identity').toLowerCase();
  if (coding === 'identity') return request;
  const create = decoders.get(coding);
  if (!create) {
    throw new ServiceError('unsupported_media_type', 'The content encoding of the body is not supported.');
  }
  return request.pipe(create());
}
