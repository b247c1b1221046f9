import { hostHeaderValidation, originValidation, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer, ProtocolErrorCode, type McpHttpHandler } from '@modelcontextprotocol/server';
import type { Request, RequestHandler, Response } from 'express';
import { ServiceError } from '../../shared/kit/errors.ts';
import { VERSION } from '../../shared/kit/version.ts';
import { isAdministrator, type Caller } from '../http/authenticate.ts';
import type { OperationId } from '../http/contract.ts';
import { chargeRequests, enforceRateLimit } from '../http/enforce-rate-limit.ts';
import { requestLocale } from '../http/locale.ts';
import type { Actor, OperationInput, Perform } from '../http/perform.ts';
import { logFailure, toServiceError } from '../http/render-error.ts';
import type { Services } from '../services.ts';
import { bookingTools } from './booking-tools.ts';
import { renderToolError } from './errors.ts';
import { fleetTools } from './fleet-tools.ts';
import { keepingTools } from './keeping-tools.ts';
import { listingTools } from './listing-tools.ts';
import { marketTools } from './market-tools.ts';
import { messageTools } from './message-tools.ts';
import { moderationTools } from './moderation-tools.ts';
import { registerPrompts } from './prompts.ts';
import { registerResources } from './resources.ts';
import { searchTools } from './search-tools.ts';
import { registerTool, type Tool, type ToolContext } from './tool.ts';

const MAX_BODY_BYTES = 256 * 1_024;
const MAX_OPERATIONS = 50;
const loopback = ['localhost', '127.0.0.1', '[::1]'];

const userTools = [...searchTools, ...marketTools, ...listingTools, ...messageTools, ...keepingTools, ...bookingTools];
const adminTools = [...moderationTools, ...fleetTools];

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
    const caller = await identifyCaller(services, request, response);
    const handler = createMcpHandler(() => createServer(services, perform, caller, request, response), {
      maxRequestBodySize: MAX_BODY_BYTES,
      maxSubscriptions: 0,
      onerror: (error) => services.log.debug({ err: error }, 'a request to /mcp was refused'),
    });
    await toNodeHandler(withoutBatches(handler), { maxRequestBodySize: MAX_BODY_BYTES })(request, response);
  };
}

/** Refuses a batch of messages, which MCP has given up in 2025-06-18: one request would do the work of thousands. */
function withoutBatches({ fetch }: McpHttpHandler): Pick<McpHttpHandler, 'fetch'> {
  return {
    async fetch(request, options) {
      const text = request.method === 'POST' ? await request.clone().text() : '';
      if (!text.trimStart().startsWith('[')) return fetch(request, options);
      const error = { code: ProtocolErrorCode.InvalidRequest, message: 'Send one message at a time.' };
      return Response.json({ jsonrpc: '2.0', id: null, error }, { status: 400 });
    },
  };
}

/** The caller of the bearer token, charged for one read; a bad token is 401, which its address is charged for. */
async function identifyCaller(services: Services, request: Request, response: Response): Promise<Caller | undefined> {
  let caller: Caller | undefined;
  try {
    caller = await services.authenticate(request.headers.authorization);
  } catch (error) {
    await enforceRateLimit(services, 'read', undefined, response);
    throw error;
  }
  response.locals.userId = caller?.userId;
  await enforceRateLimit(services, 'read', caller, response);
  return caller;
}

function createServer(
  services: Services,
  perform: Perform,
  caller: Caller | undefined,
  request: Request,
  response: Response,
): McpServer {
  const server = new McpServer(
    { name: 'quayside', title: services.config.brand.name, version: VERSION },
    { instructions },
  );
  const open = createOpener(services, perform, caller, request, response);
  const report = (error: unknown) => logFailure(services.log, error, request, response);
  const base = services.links.of(response.locals.proxied === true).base;
  const renderError = (tool: Tool, error: unknown) => {
    const known = toServiceError(error);
    if (!known || known.status >= 500) report(error);
    const told = known ?? new ServiceError('internal_error', 'Something went wrong on our side.');
    return renderToolError(told, tool, base);
  };
  const tools = isAdministrator(caller) ? [...userTools, ...adminTools] : userTools;
  for (const tool of tools) registerTool(server, tool, { open, renderError });
  registerResources(server, () => open(), report);
  registerPrompts(server);
  return server;
}

const instructions =
  'A marketplace for boats and other things. Searching needs no account; tools of an account need "Authorization: Bearer <API key or session>". Ids come from the search and list tools. Ask the user before any call with confirm: true.';

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
