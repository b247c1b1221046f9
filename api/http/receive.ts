import type { Request } from 'express';
import { invalid } from '../../shared/kit/errors.ts';
import type { Services } from '../services.ts';
import { createBodyParser, type ParsedBody } from './body.ts';
import type { Operation, OperationId } from './contract.ts';
import type { Exchange } from './identify.ts';
import { prefersCsv, prefersPage } from './locale.ts';
import { checkOwnerBeforeBody } from './ownership.ts';
import { checkQuery } from './query.ts';
import type { Request as Input } from './types.ts';

/** What a handler is given; `discard` gives back the disk space of its files once the request is answered. */
export type Received = { input: Input<OperationId>; discard?: (() => Promise<void>) | undefined };

const nothing: ParsedBody = { body: undefined, files: [] };

/**
 * Reads the body and validates it with the parameters: the input is typed, coerced and complete as the operation in
 * openapi.yaml says, or the request is refused (400, 413, 415, 408; 403 first where the thing is somebody else's).
 */
export function createReceiver(services: Services, operation: Operation): (exchange: Exchange) => Promise<Received> {
  const parseBody = createBodyParser(operation, services);
  const assertOwner = operation.owned === undefined ? undefined : services.assertOwner[operation.owned];
  if (operation.owned !== undefined && !assertOwner)
    throw new Error(`openapi.yaml: nobody can tell who owns the ${operation.owned} of ${operation.id}`);

  return async (exchange) => {
    const { request, response, query: sent } = exchange;
    // Health checks and the like take no parameters and mind none: nothing of their query is read.
    if (operation.queryNames.size > 0 || !operation.toleratesUnknownQuery) checkQuery(request.originalUrl, sent);
    const parse = () => parseBody(request, response);
    const received =
      operation.bodyTypes.length > 0 ? await checkOwnerBeforeBody(assertOwner, services.db, exchange, parse) : nothing;
    const { files, discard } = received;
    try {
      const { originalUrl, headers, params } = request;
      const validate = () =>
        services.validate(operation, { originalUrl, headers, query: sent, params, body: received.body });
      const valid = await checkOwnerBeforeBody(assertOwner, services.db, exchange, validate);
      return { input: inputOf(services, operation, exchange, { ...valid, files }), discard };
    } catch (error) {
      await discard?.();
      throw error;
    }
  };
}

type Valid = Awaited<ReturnType<Services['validate']>> & Pick<ParsedBody, 'files'>;

function inputOf(
  { links }: Services,
  operation: Operation,
  { request, response, caller, locale, wantsMarkdown, query: sent }: Exchange,
  { params, query, body, files }: Valid,
): Input<OperationId> {
  return {
    params: params as never,
    query,
    headers: Object.fromEntries(operation.headerNames.map((name) => [name, request.get(name)])),
    body,
    files: files as never,
    caller,
    ip: response.locals.network as string,
    locale,
    links: links.of(response.locals.proxied === true),
    requestId: response.locals.requestId as string,
    userAgent: request.headers['user-agent'] ?? '',
    wantsMarkdown,
    wantsPage: prefersPage(request),
    wantsCsv: prefersCsv(request),
    unknownQuery: unknownQuery(operation, sent),
  };
}

function unknownQuery(operation: Operation, query: Request['query']): string[] {
  const unknown = Object.keys(query).filter((name) => !operation.queryNames.has(name));
  if (unknown.length > 0 && !operation.toleratesUnknownQuery) {
    throw invalid(
      'The query holds parameters that this operation does not have.',
      unknown.map((name) => ({ path: `/query/${name}`, message: 'is not a parameter of this operation' })),
    );
  }
  return unknown;
}
