import { OAuthError, OAuthErrorCode } from '@modelcontextprotocol/server';
import { inTransaction } from '../../db/client.ts';
import {
  redeemAuthorizationCode,
  refreshTokens,
  revokeToken,
  type Exchange,
} from '../../shared/accounts/oauth/exchange.ts';
import { ACCESS_TOKEN_SECONDS } from '../../shared/accounts/oauth/grants.ts';
import type { Links } from '../http/links.ts';
import type { Services } from '../services.ts';
import { authenticateClient, invalidRequest, readScope, requireParameter, type OAuthParameters } from './parameters.ts';
import { readResource } from './resources.ts';

const refusals = {
  invalid_grant: 'The code or token is not valid, has been used or has ended, or belongs to another client.',
  invalid_scope: 'The scope is wider than what was granted.',
  invalid_target: 'The token is for another resource.',
} as const;

/** The token endpoint: a code or a refresh token for a new pair of tokens (RFC 6749, 5.1). */
export async function exchangeToken(
  services: Services,
  links: Links,
  authorization: string | undefined,
  parameters: OAuthParameters,
) {
  const client = await authenticateClient(services, authorization, parameters);
  const exchange = await exchangeFor(services, client.id, parameters, readNamedResource(links, parameters.resource));
  if ('refused' in exchange) throw new OAuthError(exchange.refused, refusals[exchange.refused]);
  const { accessToken, refreshToken, scopes } = exchange.tokens;
  return {
    access_token: accessToken,
    token_type: 'Bearer',
    expires_in: ACCESS_TOKEN_SECONDS,
    refresh_token: refreshToken,
    scope: scopes.join(' '),
  };
}

async function exchangeFor(
  { db, clock }: Services,
  clientId: string,
  parameters: OAuthParameters,
  resource: string | undefined,
): Promise<Exchange> {
  const now = clock.now();
  const type = requireParameter(parameters, 'grant_type');
  if (type === 'authorization_code') {
    const code = requireParameter(parameters, 'code');
    const verifier = requireParameter(parameters, 'code_verifier');
    const given = { code, clientId, verifier, resource, redirectUri: parameters.redirect_uri };
    return inTransaction(db, async (tx) => redeemAuthorizationCode(tx, given, now));
  }
  if (type === 'refresh_token') {
    const scopes = readScope(parameters.scope);
    if (parameters.scope !== undefined && !scopes)
      throw new OAuthError(OAuthErrorCode.InvalidScope, 'The scope is unknown.');
    const given = { refreshToken: requireParameter(parameters, 'refresh_token'), clientId, scopes, resource };
    return inTransaction(db, async (tx) => refreshTokens(tx, given, now));
  }
  throw new OAuthError(OAuthErrorCode.UnsupportedGrantType, 'grant_type is authorization_code or refresh_token.');
}

function readNamedResource(links: Links, named: string | undefined): string | undefined {
  if (named === undefined) return undefined;
  const resource = readResource(links, named);
  if (resource === undefined) throw new OAuthError(OAuthErrorCode.InvalidTarget, 'There is no such resource here.');
  return resource;
}

/** The revocation endpoint (RFC 7009): a token that is unknown has ended, too. */
export async function endToken(
  services: Services,
  authorization: string | undefined,
  parameters: OAuthParameters,
): Promise<void> {
  const client = await authenticateClient(services, authorization, parameters);
  const { token } = parameters;
  if (token === undefined) throw invalidRequest('The parameter token is missing.');
  await inTransaction(services.db, async (tx) => revokeToken(tx, token, client.id, services.clock.now()));
}
