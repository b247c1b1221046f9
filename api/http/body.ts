import type { Request, Response } from 'express';
import { badRequest, invalid, ServiceError } from '../../shared/kit/errors.ts';
import { findFault } from '../../shared/kit/json-faults.ts';
import { nextTurn } from '../../shared/kit/turns.ts';
import type { Services } from '../services.ts';
import type { Operation } from './contract.ts';
import { countEntries } from './json-entries.ts';
import { createFormReader, type UploadedFile } from './multipart.ts';
import { readBytes } from './read-bytes.ts';

const MAX_ENTRIES = 20_000;
/** A list of records may hold more in all, so many of them being ordinary. */
const ENTRIES_PER_RECORD = 100;
const MAX_RECORDS = 500;
/** Work on longer bodies is done in turns, between which other requests go on. */
const LONG_BYTES = 16_384;

/** What a body held: JSON, or the texts and files of a form, which are discarded once the request is answered. */
export type ParsedBody = { body: unknown; files: UploadedFile[]; discard?: () => Promise<void> };

/** Reads the body of an operation as its media type in openapi.yaml says. */
export function createBodyParser(
  operation: Operation,
  { spool, writes, config }: Pick<Services, 'spool' | 'writes' | 'config'>,
): (request: Request, response: Response) => Promise<ParsedBody> {
  if (!operation.form) {
    const parseJson = createJsonParser(operation, config.deadlines.requestBody);
    return async (request) => ({ body: await parseJson(request), files: [] });
  }
  const readForm = createFormReader(operation.form, spool, writes);
  return async (request, response) => {
    if (!hasBody(request)) throw badRequest('This operation needs a form.');
    requireType(request, operation);
    const coding = request.headers['content-encoding'];
    if (coding && coding.toLowerCase() !== 'identity')
      throw new ServiceError('unsupported_media_type', 'The content encoding of a form is not supported.');
    return readForm(request, response);
  };
}

/**
 * Parses a JSON body, or gives the text of one that is to stay as it is: UTF-8 only, within its byte limit (after
 * decompression), within its deadline, and with at most 20,000 keys and list items, which are counted before it is parsed.
 */
function createJsonParser(operation: Operation, withinMs: number) {
  return async (request: Request): Promise<unknown> => {
    if (hasBody(request)) requireType(request, operation);
    const bytes = hasBody(request) ? await readBytes(request, operation.bodyLimitBytes, withinMs) : Buffer.alloc(0);
    if (bytes.length === 0) {
      if (operation.bodyRequired) throw badRequest('This operation needs a JSON body.');
      return undefined;
    }
    if (operation.rawBody) return decode(bytes);
    const isLong = bytes.length > LONG_BYTES;
    if (isLong) await nextTurn();
    await requireFewEntries(bytes, operation);
    const text = decode(bytes);
    if (isLong) await nextTurn();
    const body = parse(text);
    if (isLong) await nextTurn();
    const fault = operation.lenientBody ? undefined : findFault(body, '/body');
    if (fault) throw invalid('The body holds a value that cannot be stored.', [fault]);
    if (isLong) await nextTurn();
    return body;
  };
}

async function requireFewEntries(bytes: Buffer, { lenientBody }: Operation): Promise<void> {
  const most = lenientBody ? MAX_RECORDS * ENTRIES_PER_RECORD : MAX_ENTRIES;
  const { entries, records } = await countEntries(bytes, most);
  const limit = lenientBody ? Math.max(MAX_ENTRIES, Math.min(most, records * ENTRIES_PER_RECORD)) : MAX_ENTRIES;
  if (entries <= limit) return;
  const told = MAX_ENTRIES.toLocaleString('en');
  const each = lenientBody ? `, or ${ENTRIES_PER_RECORD} for each of its records` : '';
  const message = `must have at most ${told} keys and list items in all${each}`;
  throw invalid(`The body has more than ${told} keys and list items.`, [{ path: '/body', message }], {
    limit: MAX_ENTRIES,
  });
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw badRequest('The body is not valid UTF-8.');
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw badRequest('The body is not valid JSON.');
  }
}

function hasBody(request: Request): boolean {
  return request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;
}

function requireType(request: Request, operation: Operation): void {
  const [type, ...parameters] = (request.headers['content-type'] ?? '')
    .split(';')
    .map((part) => part.trim().toLowerCase());
  const charset = parameters
    .find((parameter) => parameter.startsWith('charset='))
    ?.slice('charset='.length)
    .replaceAll('"', '');
  if (!type || !operation.bodyTypes.includes(type)) {
    throw new ServiceError(
      'unsupported_media_type',
      `This operation takes ${operation.bodyTypes.join(' or ') || 'no body'}.`,
    );
  }
  if (charset && charset !== 'utf-8' && charset !== 'utf8') {
    throw new ServiceError('unsupported_media_type', 'The charset of a body is UTF-8.');
  }
}
