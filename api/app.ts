import express, { type Express } from 'express';
import { notFound, ServiceError } from '../shared/kit/errors.ts';
import { consoleAssets } from './admin/console/serve.ts';
import { leadToDocs, serveDocs } from './docs/serve.ts';
import { commonHeaders } from './http/common-headers.ts';
import { compressOnRequest } from './http/compress.ts';
import type { Operation } from './http/contract.ts';
import { renderError } from './http/render-error.ts';
import { createPerformer } from './http/perform.ts';
import { serveMcp } from './mcp/serve.ts';
import { serveOAuth } from './oauth/serve.ts';
import { pageAssets } from './pages/assets.ts';
import { serveIcons } from './pages/icons.ts';
import { renderPageErrors, servePages } from './pages/serve.ts';
import { openRequest, requireOneHost } from './http/request-context.ts';
import { rateLimitUnmatched } from './http/identify.ts';
import { serveOperation } from './http/serve.ts';
import { serveStoredFiles } from './http/stored-files.ts';
import { traceRequest } from './http/trace-request.ts';
import type { OperationId } from './http/contract.ts';
import type { Handler } from './handler.ts';
import { handlers } from './operations.ts';
import type { Services } from './services.ts';

/** The life of a request, in order. What happens after an operation is matched is in http/serve.ts. */
export function createApp(services: Services): Express {
  const { config, log, links, contract } = services;
  const app = express();
  app.disable('x-powered-by').disable('etag');
  app.set('query parser', 'extended').set('trust proxy', config.trustProxyHops).set('case sensitive routing', true);

  if (config.tracing) app.use(traceRequest);
  app.use(openRequest(services, links.prefix));
  app.use(commonHeaders(() => services.ready));
  app.use(requireOneHost);
  app.use(compressOnRequest());
  app.use('/static', serveStoredFiles(services.storage));
  app.get('/api', leadToDocs(services));
  app.use('/api/docs', serveDocs(services));
  app.use('/admin', consoleAssets());
  const perform = createPerformer(services, handlers as never);
  app.use('/assets', pageAssets(config.brand));
  app.use(serveIcons());
  app.all('/mcp', serveMcp(services, perform));
  app.use(serveOAuth(services));
  app.use(servePages(services, perform));

  for (const [path, operations] of inMatchingOrder(contract.operations)) {
    const route = app.route(path);
    for (const operation of operations) {
      const serve = serveOperation(services, operation, handlers[operation.id] as Handler<OperationId>);
      route[operation.method]((request, response, next) => {
        response.locals.operation = operation.id;
        return serve(request, response, next);
      });
    }
    const allow = methodsOf(operations);
    const isLimited = operations.some(({ rateClass }) => rateClass !== 'none');
    route.all(async (request, response) => {
      if (isLimited) await rateLimitUnmatched(services, request, response);
      throw new ServiceError('method_not_allowed', `This address answers ${allow}.`, { headers: { Allow: allow } });
    });
  }
  app.use(async (request, response) => {
    await rateLimitUnmatched(services, request, response);
    throw notFound('address', request.path);
  });
  app.use(renderPageErrors(services, perform));
  app.use(renderError(log));
  return app;
}

/** The operations by their path: fixed paths before those with parameters, and `{id}.md` before `{id}`, which would take it for a slug. */
function inMatchingOrder(operations: Operation[]): [path: string, operations: Operation[]][] {
  const weight = (path: string) => (path.includes(':') ? 2 : 0) + (path.endsWith('.md') ? 0 : 1);
  const paths = Map.groupBy(operations, ({ expressPath }) => expressPath);
  return [...paths].toSorted(([a], [b]) => weight(a) - weight(b));
}

function methodsOf(operations: Operation[]): string {
  const methods = operations.map(({ method }) => method.toUpperCase());
  return [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
}
