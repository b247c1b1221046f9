import { context, SpanKind, trace } from '@opentelemetry/api';
import type { Request, RequestHandler, Response } from 'express';
import { contextOf, fail, startSpan } from '../../shared/kit/tracing.ts';

/** What is asked for all the time and tells nothing: probes, scrapes, and files. */
const untraced = /(?:^\/(?:static|assets|admin\/assets)\/|\/(?:health(?:\/\w+)?|metrics)$)/;
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/**
 * Follows a request with a span of its own, in the trace that its `traceparent` names or a new one. The span has the matched
 * route: neither path nor query, which may hold what is private; the log line with its trace_id has the path.
 */
export const traceRequest: RequestHandler = (request, response, next) => {
  if (untraced.test(request.path)) return next();
  const known = methods.has(request.method);
  const method = known ? request.method : 'HTTP';
  const origin = contextOf(request.headers);
  const span = startSpan(
    method,
    {
      kind: SpanKind.SERVER,
      attributes: {
        'http.request.method': known ? method : '_OTHER',
        'url.scheme': request.protocol,
        'network.protocol.version': request.httpVersion,
      },
    },
    origin,
  );
  response.once('close', () => {
    const route = routeOf(request);
    const operation: unknown = response.locals.operation;
    if (route !== undefined) span.updateName(`${method} ${route}`).setAttribute('http.route', route);
    if (typeof operation === 'string') span.setAttribute('quayside.operation', operation);
    if (response.headersSent) span.setAttribute('http.response.status_code', response.statusCode);
    if (response.statusCode >= 500) fail(span, String(response.statusCode));
    span.end(endOf(response));
  });
  context.with(trace.setSpan(origin, span), next);
};

function routeOf(request: Request): string | undefined {
  const path: unknown = (request.route as { path?: unknown } | undefined)?.path;
  return typeof path === 'string' ? path : undefined;
}

/** What streams is answered when it begins. */
function endOf(response: Response): number | undefined {
  const answeredAt: unknown = response.locals.answeredAt;
  return typeof answeredAt === 'number' ? answeredAt : undefined;
}
