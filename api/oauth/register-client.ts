import { OAuthError, OAuthErrorCode } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { clientAuthMethods, registerOAuthClient } from '../../shared/accounts/oauth/clients.ts';
import { describeRedirectUri, isRedirectUri } from '../../shared/accounts/oauth/redirect-uri.ts';
import type { Services } from '../services.ts';

const MAX_REDIRECT_URIS = 10;
const MAX_NAME = 100;

/** Client metadata as far as it matters here; what else a client says of itself is ignored (RFC 7591, 2). */
const metadata = z.object({
  redirect_uris: z.array(z.string()).min(1).max(MAX_REDIRECT_URIS),
  client_name: z.string().max(1_000).optional(),
  token_endpoint_auth_method: z.enum(clientAuthMethods).default('client_secret_basic'),
  grant_types: z.array(z.string().max(100)).max(20).default(['authorization_code']),
  response_types: z.array(z.string().max(100)).max(20).default(['code']),
});

/** Dynamic client registration (RFC 7591), open to anybody: it allows nothing but to ask a person. */
export async function registerClient({ db, clock }: Services, body: unknown) {
  const read = metadata.safeParse(body);
  if (!read.success) {
    const [{ path, message }] = read.error.issues as [z.core.$ZodIssue];
    const code = path[0] === 'redirect_uris' ? OAuthErrorCode.InvalidRedirectUri : OAuthErrorCode.InvalidClientMetadata;
    throw new OAuthError(code, `${path.join('.') || 'The body'}: ${message}`);
  }
  const { redirect_uris: redirectUris, token_endpoint_auth_method: authMethod, ...rest } = read.data;
  const wrong = redirectUris.find((uri) => !isRedirectUri(uri));
  if (wrong !== undefined)
    throw new OAuthError(
      OAuthErrorCode.InvalidRedirectUri,
      `${wrong.slice(0, 200)} is no address for answers: https, http on 127.0.0.1, [::1] or localhost, or a scheme of the application's own, without a fragment.`,
    );
  if (!rest.grant_types.includes('authorization_code') || !rest.response_types.includes('code'))
    throw new OAuthError(
      OAuthErrorCode.InvalidClientMetadata,
      'Applications are connected by authorization codes: grant_types needs authorization_code, response_types code.',
    );
  const now = clock.now();
  const name = readName(rest.client_name) || describeRedirectUri(redirectUris[0]!).name;
  const { id, secret } = await registerOAuthClient(db, { name, redirectUris, authMethod }, now);
  return {
    client_id: id,
    client_id_issued_at: Math.floor(now.getTime() / 1_000),
    ...(secret !== undefined && { client_secret: secret, client_secret_expires_at: 0 }),
    client_name: name,
    redirect_uris: redirectUris,
    token_endpoint_auth_method: authMethod,
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
  };
}

/** A name as it may be shown: one line, without control and direction characters. */
const readName = (name = ''): string =>
  [...name.replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ').trim()].slice(0, MAX_NAME).join('').trim();
