import { isUtf8 } from 'node:buffer';
import express, { type Request, type Response } from 'express';
import { badRequest, invalid, ServiceError } from '../../shared/errors.ts';
import type { Operation } from './contract.ts';
import { findFault } from '../../shared/json-faults.ts';

const BODY_TIMEOUT_MS = 10_000;

/** Parses the JSON body of an operation: UTF-8 only, within its byte limit (after decompression) and within ten seconds. */
export function createBodyParser(operation: Operation) {
  const parse = express.json({
    limit: operation.bodyLimitBytes,
    strict: false,
    type: () => true,
    verify: (_request, _response, bytes) => {
      if (!isUtf8(bytes)) throw badRequest('The body is not valid UTF-8.');
    },
  });
  return async (request: Request, response: Response): Promise<unknown> => {
    if (!hasBody(request)) {
      if (operation.bodyRequired) throw badRequest('This operation needs a JSON body.');
      return undefined;
    }
    requireJson(request, operation);
    await withDeadline(
      request,
      new Promise<void>((resolve, reject) => {
        parse(request, response, (error?: unknown) => (error ? reject(toError(error)) : resolve()));
      }),
    );
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

function requireJson(request: Request, operation: Operation): void {
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
    throw new ServiceError('unsupported_media_type', 'The charset of a JSON body is UTF-8.');
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
