import { hostHeaderValidation, originValidation, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer, ProtocolErrorCode, type McpHttpHandler } from '@modelcontextprotocol/server';
import type { Request, RequestHandler, Response } from 'express';
import { ServiceError } from '../../shared/kit/errors.ts';
import { VERSION } from '../../shared/kit/version.ts';
import type { Caller } from '../http/authenticate.ts';
import type { OperationId } from '../http/contract.ts';
import { chargeRequests } from '../http/enforce-rate-limit.ts';
import { requestLocale } from '../http/locale.ts';
import type { Actor, OperationInput, Perform } from '../http/perform.ts';
import { logFailure, toServiceError } from '../http/render-error.ts';
import { offersOAuth } from '../oauth/metadata.ts';
import type { Services } from '../services.ts';
import { identifyCaller, refuseOutOfScope } from './authorize.ts';
import { callTool } from './call-tool.ts';
import { renderToolError } from './errors.ts';
import { registerPrompts } from './prompts.ts';
import { registerResources } from './resources.ts';
import type { Tool, ToolContext } from './tool.ts';
import { describeUse, listTools, tools } from './tools.ts';

const MAX_BODY_BYTES = 256 * 1_024;
const MAX_OPERATIONS = 50;
/** Nothing tells a client that a list has changed: it is asked for anew with each connection. */
const fixed = { listChanged: false };
const loopback = ['localhost', '127.0.0.1', '[::1]'];

/**
 * The Model Context Protocol at /mcp (Streamable HTTP, stateless): tools that perform operations of the contract for whoever the
 * bearer token names. A request that names another host or origin than BASE_URL or loopback is refused (403, DNS rebinding).
 */
export function serveMcp(services: Services, perform: Perform): RequestHandler {
  const own = [...new Set([services.config.baseUrl, services.links.of(true).base].map((url) => new URL(url).hostname))];
  const isOwnHost = hostHeaderValidation([...own, ...loopback]);
  const isOwnOrigin = originValidation([...own, ...loopback]);
  return async (request, response) => {
    response.locals.operation = 'mcp';
    if (!isOwnHost(request, response) || !isOwnOrigin(request, response)) return;
    response.setHeader('Cache-Control', 'no-store');
    const links = services.links.of(response.locals.proxied === true);
    const caller = await identifyCaller(services, links, request, response);
    const handler = createMcpHandler(() => createServer(services, perform, caller, request, response), {
      maxRequestBodySize: MAX_BODY_BYTES,
      maxSubscriptions: 0,
      onerror: (error) => services.log.debug({ err: error }, 'a request to /mcp was refused'),
    });
    const refuse = (message: string) => refuseOutOfScope(message, tools, caller, links);
    await toNodeHandler(withRefusals(handler, refuse), { maxRequestBodySize: MAX_BODY_BYTES })(request, response);
  };
}

/** Refuses what `refuse` answers, and a batch of messages, which MCP has given up in 2025-06-18: one request would do the work of thousands. */
function withRefusals(
  { fetch }: McpHttpHandler,
  refuse: (message: string) => globalThis.Response | undefined,
): Pick<McpHttpHandler, 'fetch'> {
  return {
    async fetch(request, options) {
      const text = request.method === 'POST' ? await request.clone().text() : '';
      if (!text.trimStart().startsWith('[')) return refuse(text) ?? fetch(request, options);
      const error = { code: ProtocolErrorCode.InvalidRequest, message: 'Send one message at a time.' };
      return globalThis.Response.json({ jsonrpc: '2.0', id: null, error }, { status: 400 });
    },
  };
}

function createServer(
  services: Services,
  perform: Perform,
  caller: Caller | undefined,
  request: Request,
  response: Response,
): McpServer {
  const links = services.links.of(response.locals.proxied === true);
  const server = new McpServer(
    { name: 'quayside', title: services.config.brand.name, version: VERSION },
    {
      capabilities: { tools: fixed, resources: fixed, prompts: fixed },
      instructions: describeUse(caller, links.base, offersOAuth(services)),
    },
  );
  const open = createOpener(services, perform, caller, request, response);
  const report = (error: unknown) => logFailure(services.log, error, request, response);
  const renderError = (tool: Tool, error: unknown) => {
    const known = toServiceError(error);
    if (!known || known.status >= 500) report(error);
    const told = known ?? new ServiceError('internal_error', 'Something went wrong on our side.');
    return renderToolError(told, tool, links, offersOAuth(services));
  };
  server.server.setRequestHandler('tools/list', () => ({ tools: listTools(caller) }));
  server.server.setRequestHandler('tools/call', ({ params }) =>
    callTool(tools, params.name, params.arguments, { caller, open, renderError }),
  );
  registerResources(server, () => open(), report);
  registerPrompts(server);
  return server;
}

/**
 * Opens tools for one request to /mcp. Its operations are charged as over HTTP, where the first read is paid by the request
 * itself; there are 50 at most, however many calls it holds.
 */
function createOpener(
  services: Services,
  perform: Perform,
  caller: Caller | undefined,
  request: Request,
  response: Response,
) {
  const readIds = new Set(
    services.contract.operations.filter(({ rateClass }) => rateClass === 'read').map(({ id }) => id),
  );
  const network = response.locals.network as string;
  const links = services.links.of(response.locals.proxied === true);
  const locale = requestLocale(request, {}, services.profile);
  let operations = 0;
  let isPaid = true;
  return (tool?: Tool, idempotencyKey?: string): ToolContext => {
    const actor: Actor = {
      caller,
      network,
      locale,
      links,
      requestId: response.locals.requestId as string,
      userAgent: request.headers['user-agent'] ?? '',
      keyScope: tool?.scope,
    };
    return {
      services,
      caller,
      links,
      locale,
      async perform<Op extends OperationId>(id: Op, input: OperationInput<Op> = {}) {
        operations += 1;
        if (operations > MAX_OPERATIONS)
          throw new ServiceError('payload_too_large', 'The request holds too many calls; send them one by one.');
        if (readIds.has(id) && !isPaid) await chargeRequests(services, 'read', caller, network, 1);
        if (readIds.has(id)) isPaid = false;
        return perform(actor, id, { ...input, idempotencyKey });
      },
    };
  };
}
