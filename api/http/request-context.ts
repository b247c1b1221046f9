import { randomUUID } from 'node:crypto';
import type { RequestHandler } from 'express';
import { ServiceError } from '../../shared/kit/errors.ts';
import type { Clock } from '../../shared/kit/clock.ts';
import type { Logger } from '../../shared/kit/log.ts';
import { boundToTrace } from '../../shared/kit/tracing.ts';
import { truncateNetwork } from '../../shared/kit/truncate-network.ts';
import { createClientNetworks } from './client-ip.ts';
import type { HttpMetrics } from './http-metrics.ts';
import type { RecentRequests } from './recent-requests.ts';

/** Images, and the files of the console, would drown the rest. */
const unlisted = /^\/(?:static|admin\/assets)\//;
const saneId = /^[A-Za-z0-9._-]{1,128}$/;

/**
 * Opens every request: an id (the caller's X-Request-Id when it is a sane token), the client's network, the path prefix
 * of the proxy taken off; and closes it with one log line, its metrics and its place among the recent ones. No query values
 * are logged: they may be private.
 */
export function openRequest(
  {
    log,
    metrics,
    recentRequests,
    clock,
  }: { log: Logger; metrics: HttpMetrics; recentRequests: RecentRequests; clock: Clock },
  proxyPrefix: string,
): RequestHandler {
  // No field of this line can hold a secret, and looking for them would cost most of the line.
  const lines = log.child({}, { redact: [] });
  const networkOf = createClientNetworks();
  return (request, response, next) => {
    const startedAt = performance.now();
    const at = clock.now();
    const given = request.headers['x-request-id'];
    const requestId = typeof given === 'string' && saneId.test(given) ? given : randomUUID();
    response.locals.requestId = requestId;
    response.locals.network = networkOf(request.ip);
    response.setHeader('X-Request-Id', requestId);
    if (proxyPrefix && (request.url === proxyPrefix || request.url.startsWith(`${proxyPrefix}/`))) {
      response.locals.proxied = true;
      request.url = request.url.slice(proxyPrefix.length) || '/';
    }
    // Routers that are mounted under a path take it off while they answer.
    const path = request.path.slice(0, 200);
    const close = boundToTrace(() => {
      // What streams is answered when it begins.
      const answeredAt = (response.locals.answeredAt as number | undefined) ?? performance.now();
      const seconds = (answeredAt - startedAt) / 1_000;
      const operation = (response.locals.operation as string | undefined) ?? 'unmatched';
      metrics.observe(operation, request.method, response.statusCode, seconds);
      const closed = {
        request_id: requestId,
        method: request.method,
        path,
        status: response.statusCode,
        duration_ms: Math.round(seconds * 1e5) / 100,
      };
      if (!unlisted.test(path))
        recentRequests.record({
          at: at.toISOString(),
          ...closed,
          user_id: (response.locals.userId as string | undefined) ?? null,
          ip: truncateNetwork(response.locals.network as string),
        });
      lines.info(
        {
          ...closed,
          operation,
          ...(response.writableFinished ? undefined : { aborted: true }),
        },
        'request',
      );
    });
    response.once('close', close);
    next();
  };
}

/** 400 for two Host headers: a proxy in front may have gone by the other one (RFC 9112, 3.2). */
export const requireOneHost: RequestHandler = ({ rawHeaders }, _response, next) => {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  if (hosts > 1)
    throw new ServiceError('bad_request', 'The request has more than one Host header.', {
      headers: { Connection: 'close' },
    });
  next();
};
