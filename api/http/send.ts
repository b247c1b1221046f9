import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Request, Response } from 'express';
import type { Reply } from './idempotency.ts';
import type { Effects } from '../effects.ts';
import type { CachedAnswer, CacheTag } from './response-cache.ts';
import type { Stream, Text } from './types.ts';

export type AnyAnswer = {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
  cacheSubject?: string;
  effects?: Effects | undefined;
  isFleeting?: boolean;
};

const JSON_TYPE = 'application/json; charset=utf-8';

/** A handler's answer as status, headers and bytes. */
export function replyOf({ status, body, headers = {} }: AnyAnswer): Reply {
  if (isText(body)) return { status, headers: { ...headers, 'Content-Type': body.type }, body: body.text };
  return { status, headers: { ...headers, 'Content-Type': JSON_TYPE }, body: JSON.stringify(body) };
}

/** Sends a reply as it is. All of them may be compressed, so what caches hold depends on Accept-Encoding too. */
export function sendReply(response: Response, { status, headers, body }: Reply): void {
  response.statusCode = status;
  setHeaders(response, headers);
  response.setHeader('Content-Length', Buffer.byteLength(body));
  response.end(body);
}

/** Sends a body for as long as it goes on and the client takes something of it within `stallMs`. The connection is not used again. */
export function sendStream(
  request: Request,
  response: Response,
  { status, headers = {}, body }: AnyAnswer,
  stallMs: number,
): void {
  const { type, chunks, close } = body as Stream;
  response.statusCode = status;
  setHeaders(response, { ...headers, 'Content-Type': type, Connection: 'close' });
  response.locals.answeredAt = performance.now();
  // A client that has gone already is told of by no 'close' any more.
  if (response.destroyed) return close();
  response.once('close', close);
  if (request.method === 'HEAD') return void response.end();
  request.socket.setTimeout(stallMs, () => request.socket.destroy());
  const source = Readable.from(chunks(), { highWaterMark: 1 });
  source.once('error', (error) => response.destroy(error));
  response.once('close', () => source.destroy());
  source.pipe(response);
}

export const isStream = (body: unknown): body is Stream =>
  typeof body === 'object' && body !== null && 'chunks' in body && typeof body.chunks === 'function';

function setHeaders(response: Response, headers: Record<string, string>): void {
  for (const name of Object.keys(headers)) response.setHeader(name, headers[name]!);
  response.setHeader('Vary', headers.Vary === undefined ? 'Accept-Encoding' : `${headers.Vary}, Accept-Encoding`);
}

/** A reply as the cache holds it: its bytes, an ETag over them, and what it does whenever it is given again. */
export function toCachedAnswer(
  tag: CacheTag,
  { cacheSubject: subject, effects }: Pick<AnyAnswer, 'cacheSubject' | 'effects'>,
  { status, headers, body }: Reply,
): CachedAnswer {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const etag = `"${createHash('sha1').update(bytes).digest('base64url')}"`;
  return { tag, subject, effects, status, headers: { ...headers, ETag: etag }, body: bytes };
}

/** Node writes a text together with its head, but encodes it again: longer ones cost less as the bytes that are cached. */
const SHORT_BYTES = 4_096;

/** Sends an answer that is cached, as the text that it was just made of if that is short; or 304 when the caller holds it already. */
export function sendCached(request: Request, response: Response, answer: CachedAnswer, made?: Reply['body']): void {
  if (holdsCurrent(request.headers['if-none-match'], answer.headers.ETag ?? '')) {
    response.statusCode = 304;
    setHeaders(response, answer.headers);
    response.removeHeader('Content-Type');
    response.end();
    return;
  }
  const { status, headers, body } = answer;
  sendReply(response, { status, headers, body: made !== undefined && body.length <= SHORT_BYTES ? made : body });
}

function holdsCurrent(ifNoneMatch: string | undefined, etag: string): boolean {
  if (!ifNoneMatch) return false;
  return ifNoneMatch
    .split(',')
    .some((candidate) => candidate.trim().replace(/^W\//, '') === etag || candidate.trim() === '*');
}

function isText(body: unknown): body is Text {
  return (
    typeof body === 'object' &&
    body !== null &&
    'text' in body &&
    'type' in body &&
    Object.keys(body).length === 2 &&
    isBytes(body.text)
  );
}

function isBytes(value: unknown): boolean {
  return Buffer.isBuffer(value) || typeof value === 'string';
}
