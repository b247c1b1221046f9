import cors from 'cors';
import type { Request, RequestHandler, Response } from 'express';
import helmet from 'helmet';

const exposedHeaders = [
  'X-Request-Id',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-RateLimit-Policy',
  'Retry-After',
  'X-Cache',
  'ETag',
  'Content-Language',
  'Idempotent-Replayed',
  'Quayside-Position',
  'WWW-Authenticate',
  'Deprecation',
  'Sunset',
  'Link',
];

/**
 * The headers of every answer: nosniff and a policy that loads and frames nothing (the docs page sets its own), and CORS
 * open for every origin, never with cookies. Preflights are answered here. A draining process closes its connections.
 */
export function commonHeaders(isReady: () => boolean): RequestHandler {
  const secure = helmet({
    contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
    crossOriginResourcePolicy: { policy: 'cross-origin' },
    crossOriginOpenerPolicy: { policy: 'same-origin' },
    strictTransportSecurity: false,
  });
  const share = cors({ exposedHeaders, maxAge: 86_400, methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] });
  // None of them depends on the request, so both middlewares are asked once.
  const always = [...headersOf(secure), ...headersOf(share)];
  return (request, response, next) => {
    for (const [name, value] of always) response.setHeader(name, value);
    if (!isReady()) response.setHeader('Connection', 'close');
    if (request.method === 'OPTIONS') share(request, response, next);
    else next();
  };
}

/** What a middleware sets on an answer to a plain GET. */
function headersOf(middleware: (request: Request, response: Response, next: () => void) => void): [string, string][] {
  const headers = new Map<string, string>();
  const request = { method: 'GET', headers: {} } as Request;
  const response = {
    setHeader: (name: string, value: string) => headers.set(name, value),
    getHeader() {},
    removeHeader() {},
  };
  middleware(request, response as unknown as Response, () => {});
  return [...headers];
}
