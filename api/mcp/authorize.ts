import { ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { Request, Response as HttpResponse } from 'express';
import { reachesRole } from '../../shared/accounts/roles.ts';
import { ServiceError, unauthorized } from '../../shared/kit/errors.ts';
import type { Caller } from '../http/authenticate.ts';
import { enforceRateLimit } from '../http/enforce-rate-limit.ts';
import type { Links } from '../http/links.ts';
import { challengeOf, offersOAuth } from '../oauth/metadata.ts';
import type { Services } from '../services.ts';
import type { Tool } from './tool.ts';

/**
 * The caller of the bearer token, charged for one read; a bad token is 401, which its address is charged for. Whoever asks to sign
 * in (`?auth=required`) and has no token is 401 as well: that is where clients begin OAuth. Each 401 says how to connect.
 */
export async function identifyCaller(
  services: Services,
  links: Links,
  request: Request,
  response: HttpResponse,
): Promise<Caller | undefined> {
  let caller: Caller | undefined;
  try {
    caller = await services.authenticate(request.headers.authorization);
    if (!caller && request.query.auth === 'required') throw unauthorized();
  } catch (error) {
    await enforceRateLimit(services, 'read', undefined, response);
    if (!(error instanceof ServiceError) || error.status !== 401 || !offersOAuth(services)) throw error;
    const hasToken = request.headers.authorization !== undefined;
    const challenge = challengeOf(links, hasToken ? { error: 'invalid_token' } : {});
    throw new ServiceError('unauthorized', error.message, { headers: { 'WWW-Authenticate': challenge } });
  }
  response.locals.userId = caller?.userId;
  await enforceRateLimit(services, 'read', caller, response);
  return caller;
}

/**
 * 403 with the scope to ask for (insufficient_scope), when the holder of an access token calls a tool outside of its scopes: clients
 * ask their person anew. Undefined for any other message; keys are told by the tool itself.
 */
export function refuseOutOfScope(
  message: string,
  tools: readonly Tool[],
  caller: Caller | undefined,
  links: Links,
): Response | undefined {
  if (caller?.via !== 'oauth') return undefined;
  const call = parseCall(message);
  const tool = tools.find(({ name }) => name === call?.params?.name);
  const scope = tool?.scope;
  if (call?.method !== 'tools/call' || scope === undefined || caller.scopes.includes(scope)) return undefined;
  if (scope === 'admin' && !reachesRole(caller.role, tool?.leastRole ?? 'admin')) return undefined;
  const challenge = challengeOf(links, { error: 'insufficient_scope', scope: [...caller.scopes, scope].join(' ') });
  const text = `This needs the scope '${scope}'; the access token has: ${caller.scopes.join(', ')}.`;
  const error = { code: ProtocolErrorCode.InvalidRequest, message: text };
  return Response.json(
    { jsonrpc: '2.0', id: call.id ?? null, error },
    { status: 403, headers: { 'WWW-Authenticate': challenge } },
  );
}

type Call = { id?: string | number; method?: unknown; params?: { name?: unknown } | null };

/** What is no JSON object is refused by the SDK. */
function parseCall(message: string): Call | undefined {
  try {
    const parsed: unknown = JSON.parse(message);
    return typeof parsed === 'object' && parsed !== null ? parsed : undefined;
  } catch {
    return undefined;
  }
}
