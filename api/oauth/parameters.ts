import { OAuthError, OAuthErrorCode } from '@modelcontextprotocol/server';
import { isClientSecret, findOAuthClient, type OAuthClient } from '../../shared/accounts/oauth/clients.ts';
import { keyScopes, scopesOf, type KeyScope } from '../../shared/accounts/key-scopes.ts';
import type { Services } from '../services.ts';

/** The parameters of a request of OAuth, each of them once. */
export type OAuthParameters = Partial<Record<string, string>>;

/** Reads parameters of a query or form; one that comes twice, or is no text, is refused (RFC 6749, 3.1). An empty one counts as absent. */
export function readOAuthParameters(given: Record<string, unknown>): OAuthParameters {
  const parameters: OAuthParameters = {};
  for (const [name, value] of Object.entries(given)) {
    if (typeof value !== 'string') throw invalidRequest(`The parameter ${name.slice(0, 100)} may be given once only.`);
    if (value !== '') parameters[name] = value;
  }
  return parameters;
}

export const invalidRequest = (message: string): OAuthError => new OAuthError(OAuthErrorCode.InvalidRequest, message);

/** A field that has to be there. */
export function requireParameter(parameters: OAuthParameters, name: string): string {
  const value = parameters[name];
  if (value === undefined) throw invalidRequest(`The parameter ${name} is missing.`);
  return value;
}

/** The scopes that are asked for, of those that there are; undefined where none is named. */
export function readScope(scope: string | undefined): KeyScope[] | undefined {
  if (scope === undefined) return undefined;
  const named = scope.split(' ');
  const known = keyScopes.filter((each) => named.includes(each));
  return known.length > 0 ? scopesOf('read', known) : undefined;
}

/** The client of a request to the token or revocation endpoint, by its secret where it has one (RFC 6749, 2.3.1). */
export async function authenticateClient(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  authorization: string | undefined,
  parameters: OAuthParameters,
): Promise<OAuthClient> {
  const basic = readBasic(authorization);
  if (basic && parameters.client_secret !== undefined)
    throw invalidRequest('The client authenticates in two ways at once.');
  const id = basic?.id ?? parameters.client_id;
  const client = id === undefined ? undefined : await findOAuthClient(db, id, clock.now());
  const isNamed = basic === undefined || parameters.client_id === undefined || parameters.client_id === basic.id;
  if (!client || !isNamed || !isClientSecret(client, basic ? basic.secret : parameters.client_secret))
    throw new OAuthError(OAuthErrorCode.InvalidClient, 'The client is not registered, or its secret is wrong.');
  return client;
}

function readBasic(authorization: string | undefined): { id: string; secret: string } | undefined {
  const encoded = /^basic +([A-Za-z0-9+/=]+)$/i.exec(authorization ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const [, id = '', secret = ''] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString()) ?? [];
  return { id: decode(id), secret: decode(secret) };
}

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
};
