import compression from 'compression';
import type { RequestHandler } from 'express';

/** Compresses answers for clients that ask for it; others do not pay for the question. */
export function compressOnRequest(): RequestHandler {
  const compress = compression();
  return (request, response, next) => {
    if (request.headers['accept-encoding'] === undefined) next();
    else compress(request, response, next);
  };
}
