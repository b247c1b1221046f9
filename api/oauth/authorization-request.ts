import { OAuthError, OAuthErrorCode } from '@modelcontextprotocol/server';
import { findOAuthClient, type OAuthClient } from '../../shared/accounts/oauth/clients.ts';
import { matchesRedirectUri } from '../../shared/accounts/oauth/redirect-uri.ts';
import { scopesOf, type KeyScope } from '../../shared/accounts/key-scopes.ts';
import type { Links } from '../http/links.ts';
import type { Services } from '../services.ts';
import {
  invalidRequest,
  readOAuthParameters,
  readScope,
  requireParameter,
  type OAuthParameters,
} from './parameters.ts';
import { readResource } from './resources.ts';

const MAX_STATE = 2_000;
/** What is asked for where a client names no scope. */
const DEFAULT_SCOPES = scopesOf('write', null);

/** Who asks, and where the answer goes: an address that is registered. */
export type Asker = { client: OAuthClient; redirectUri: string; state: string | undefined };

/** What is asked of a person (RFC 6749, 4.1.1). */
export type AuthorizationRequest = { scopes: readonly KeyScope[]; codeChallenge: string; resource: string };

/** Finds the client of an authorization request; undefined when it is unknown, or the address for the answer is none of its own. */
export async function findAsker({ db, clock }: Services, query: Record<string, unknown>): Promise<Asker | undefined> {
  const { client_id: id, redirect_uri: redirectUri, state } = query;
  if (typeof id !== 'string' || typeof redirectUri !== 'string') return undefined;
  const client = await findOAuthClient(db, id, clock.now());
  if (!client || !matchesRedirectUri(client.redirectUris, redirectUri)) return undefined;
  return { client, redirectUri, state: typeof state === 'string' && state.length <= MAX_STATE ? state : undefined };
}

/** Reads the rest of the request: code flow, PKCE with S256, a resource of this service. It throws what the client is told. */
export function readAuthorizationRequest(links: Links, query: Record<string, unknown>): AuthorizationRequest {
  const parameters: OAuthParameters = readOAuthParameters(query);
  if (requireParameter(parameters, 'response_type') !== 'code')
    throw new OAuthError(OAuthErrorCode.UnsupportedResponseType, 'response_type is code.');
  const codeChallenge = requireParameter(parameters, 'code_challenge');
  if (parameters.code_challenge_method !== 'S256' || !/^[\w-]{43}$/.test(codeChallenge))
    throw invalidRequest('PKCE is needed: code_challenge_method is S256, code_challenge the SHA-256 of the verifier.');
  if ((parameters.state?.length ?? 0) > MAX_STATE) throw invalidRequest(`state has at most ${MAX_STATE} characters.`);
  const scopes = readScope(parameters.scope);
  if (parameters.scope !== undefined && !scopes)
    throw new OAuthError(OAuthErrorCode.InvalidScope, 'The scope is unknown.');
  const resource = readResource(links, parameters.resource);
  if (resource === undefined)
    throw new OAuthError(OAuthErrorCode.InvalidTarget, 'The resource is not one of this service.');
  return { scopes: scopes ?? DEFAULT_SCOPES, codeChallenge, resource };
}

/** The client's address with the answer, and who gives it (RFC 9207). */
export function answerAddress({ redirectUri, state }: Asker, { base }: Links, answer: Record<string, string>): string {
  const values = new URLSearchParams({ ...answer, ...(state !== undefined && { state }), iss: base });
  return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${values.toString()}`;
}
