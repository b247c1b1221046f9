import { isUtf8 } from 'node:buffer';
import express, { type Request, type Response } from 'express';
import { badRequest, invalid, ServiceError } from '../../shared/errors.ts';
import { findFault } from '../../shared/json-faults.ts';
import type { Operation } from './contract.ts';
import { createFormReader, type UploadedFile } from './multipart.ts';

const BODY_TIMEOUT_MS = 10_000;

/** What a body held: JSON, or the texts and files of a form, which are discarded once the request is answered. */
export type ParsedBody = { body: unknown; files: UploadedFile[]; discard?: () => Promise<void> };

/** Reads the body of an operation as its media type in openapi.yaml says. */
export function createBodyParser(
  operation: Operation,
  dataDir: string,
): (request: Request, response: Response) => Promise<ParsedBody> {
  if (!operation.form) {
    const parseJson = createJsonParser(operation);
    return async (request, response) => ({ body: await parseJson(request, response), files: [] });
  }
  const readForm = createFormReader(operation, operation.form, dataDir);
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
 * decompression) and within ten seconds.
 */
function createJsonParser(operation: Operation) {
  const options = {
    limit: operation.bodyLimitBytes,
    strict: false,
    type: () => true,
    verify: (_request: unknown, _response: unknown, bytes: Buffer) => {
      if (!isUtf8(bytes)) throw badRequest('The body is not valid UTF-8.');
    },
  };
  const parse = operation.rawBody ? express.raw(options) : express.json(options);
  return async (request: Request, response: Response): Promise<unknown> => {
    if (!hasBody(request)) {
      if (operation.bodyRequired) throw badRequest('This operation needs a JSON body.');
      return undefined;
    }
    requireType(request, operation);
    await withDeadline(
      request,
      new Promise<void>((resolve, reject) => {
        parse(request, response, (error?: unknown) => (error ? reject(toError(error)) : resolve()));
      }),
    );
    if (operation.rawBody) return Buffer.isBuffer(request.body) ? request.body.toString('utf8') : '';
    if (!operation.lenientBody) {
      const fault = findFault(request.body, '/body');
      if (fault) throw invalid('The body holds a value that cannot be stored.', [fault]);
    }
    return request.body as unknown;
  };
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

async function withDeadline(request: Request, parsed: Promise<void>): Promise<void> {
  const timer = setTimeout(() => {
    request.emit(
      'error',
      new ServiceError('request_timeout', 'The body did not arrive in time.', { headers: { Connection: 'close' } }),
    );
  }, BODY_TIMEOUT_MS);
  try {
    await parsed;
  } finally {
    clearTimeout(timer);
  }
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
