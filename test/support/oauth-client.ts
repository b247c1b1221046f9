import { createHash, randomBytes } from 'node:crypto';
import type {
  OAuthClientInformationMixed,
  OAuthClientProvider,
  OAuthDiscoveryState,
  OAuthTokens,
} from '@modelcontextprotocol/client';
import type { Json, TestApp, TestUser } from './app.ts';
import { visitPages, type SeenPage } from './page-visitor.ts';

export const CALLBACK = 'http://127.0.0.1:3334/callback';

type Answer = { status: number; headers: Headers; body: Json };

/** Calls an endpoint of OAuth with a form, or with JSON. */
export async function callOAuth(
  { url }: Pick<TestApp, 'url'>,
  path: string,
  fields: Record<string, unknown> | readonly (readonly [string, string])[],
  { json = false, headers = {} }: { json?: boolean; headers?: Record<string, string> } = {},
): Promise<Answer> {
  const response = await fetch(`${url}/oauth/${path}`, {
    method: 'POST',
    headers: { 'Content-Type': json ? 'application/json' : 'application/x-www-form-urlencoded', ...headers },
    body: json ? JSON.stringify(fields) : new URLSearchParams(fields as Record<string, string>).toString(),
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Json };
}

export async function registerTestClient(app: Pick<TestApp, 'url'>, fields: Record<string, unknown> = {}) {
  const metadata = {
    redirect_uris: [CALLBACK],
    token_endpoint_auth_method: 'none',
    client_name: 'Boat agent',
    ...fields,
  };
  return (await callOAuth(app, 'register', metadata, { json: true })).body;
}

export function createPkce() {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

/** The path of an authorization request that is right, but for the fields given; undefined takes one away. */
export function authorizePath(
  clientId: string,
  challenge: string,
  fields: Record<string, string | undefined> = {},
): string {
  const all = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: CALLBACK,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    scope: 'read listings:write messages publish',
    state: 'xyz',
    ...fields,
  };
  const given = Object.entries(all).filter((each): each is [string, string] => each[1] !== undefined);
  return `/oauth/authorize?${new URLSearchParams(given).toString()}`;
}

/** Presses a button of the consent page, with those scopes ticked if they are named; answers what the browser is sent on to. */
export async function decide(
  visitor: ReturnType<typeof visitPages>,
  decision: 'allow' | 'deny' | 'back',
  scopes?: readonly string[],
): Promise<{ page: SeenPage; to: URL | undefined }> {
  const button = `button[value="${decision}"]`;
  const page = await visitor.send('main form', scopes ? { scopes } : {}, { button, follow: false });
  const location = page.headers.get('location');
  return { page, to: location === null ? undefined : new URL(location) };
}

/** Authorises a client by the pages, as a person who ticks those scopes; answers the code and what it is exchanged with. */
export async function authorize(
  app: TestApp,
  user: TestUser,
  clientId: string,
  { scopes, ...fields }: { scopes?: readonly string[] } & Record<string, unknown> = {},
) {
  const { verifier, challenge } = createPkce();
  const visitor = visitPages(app, user);
  await visitor.open(authorizePath(clientId, challenge, fields as Record<string, string>));
  const { to } = await decide(visitor, 'allow', scopes);
  const code = to?.searchParams.get('code') ?? '';
  const redirect_uri = (fields.redirect_uri as string | undefined) ?? CALLBACK;
  return {
    to,
    exchange: { grant_type: 'authorization_code', client_id: clientId, code, redirect_uri, code_verifier: verifier },
  };
}

/** A client with tokens, as a person has allowed it. */
export async function connectTestClient(app: TestApp, user: TestUser, scopes?: readonly string[], scope?: string) {
  const { client_id: clientId } = await registerTestClient(app);
  const { exchange } = await authorize(app, user, clientId, { ...(scopes && { scopes }), ...(scope && { scope }) });
  const { body } = await callOAuth(app, 'token', exchange);
  const refresh = (token = String(body.refresh_token), extra: Record<string, string> = {}) =>
    callOAuth(app, 'token', { grant_type: 'refresh_token', refresh_token: token, client_id: clientId, ...extra });
  return { clientId, tokens: body, exchange, refresh };
}

/** What a client of the official SDK keeps, in memory; the browser that it opens is left to the test. */
export function createOAuthProvider(scope?: string) {
  let information: OAuthClientInformationMixed | undefined;
  let tokens: OAuthTokens | undefined;
  let discovery: OAuthDiscoveryState | undefined;
  let verifier = '';
  const opened: URL[] = [];
  const provider: OAuthClientProvider = {
    redirectUrl: CALLBACK,
    clientMetadata: {
      redirect_uris: [CALLBACK],
      client_name: 'SDK client',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      ...(scope !== undefined && { scope }),
    },
    state: () => 'state-of-the-client',
    clientInformation: () => information,
    saveClientInformation(given) {
      information = given;
    },
    tokens: () => tokens,
    saveTokens(given) {
      tokens = given;
    },
    redirectToAuthorization(url) {
      opened.push(url);
    },
    saveCodeVerifier(given) {
      verifier = given;
    },
    codeVerifier: () => verifier,
    discoveryState: () => discovery,
    saveDiscoveryState(given) {
      discovery = given;
    },
    invalidateCredentials(what) {
      if (what === 'all' || what === 'tokens') tokens = undefined;
      if (what === 'all' || what === 'client') information = undefined;
    },
  };
  return { provider, opened, tokens: () => tokens };
}
