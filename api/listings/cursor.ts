import { createHmac, timingSafeEqual } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { invalid } from '../../shared/kit/errors.ts';
import type { Position } from '../../shared/search/search.ts';

/** Raise it when positions are read in another way: cursors of before are refused then. */
const VERSION = 3;
const TAG_BYTES = 12;
const LONG = 500;
const PLAIN = Buffer.from([0]);
const DEFLATED = Buffer.from([1]);

/** The cursor of a position in one search: opaque, and signed together with what is searched for. */
export function writeCursor(position: Position, searched: string, secrets: readonly string[]): string {
  const payload = pack(Buffer.from(JSON.stringify(position)));
  return Buffer.concat([sign(payload, searched, secrets[0] ?? ''), payload]).toString('base64url');
}

/** The position that a cursor stands for; a validation_error when it is none of ours, or one of another search. */
export function readCursor(cursor: string, searched: string, secrets: readonly string[]): Position {
  const bytes = Buffer.from(cursor, 'base64url');
  const tag = bytes.subarray(0, TAG_BYTES);
  const payload = bytes.subarray(TAG_BYTES);
  const isOurs =
    tag.length === TAG_BYTES && secrets.some((secret) => timingSafeEqual(tag, sign(payload, searched, secret)));
  if (!isOurs) {
    throw invalid('The cursor is not valid for this search.', [
      { path: '/query/cursor', message: 'must be the next_cursor of the same filters and order' },
    ]);
  }
  return JSON.parse(unpack(payload).toString()) as Position;
}

/** Positions of searches for many words and their synonyms are long: those are deflated, which a first byte tells. */
const pack = (bytes: Buffer): Buffer =>
  bytes.length > LONG ? Buffer.concat([DEFLATED, deflateRawSync(bytes)]) : Buffer.concat([PLAIN, bytes]);
const unpack = (bytes: Buffer): Buffer => {
  const rest = bytes.subarray(1);
  return bytes[0] === DEFLATED[0] ? inflateRawSync(rest) : rest;
};

const sign = (payload: Buffer, searched: string, secret: string) =>
  createHmac('sha256', secret)
    .update(`cursor ${VERSION} ${searched}\n`)
    .update(payload)
    .digest()
    .subarray(0, TAG_BYTES);
