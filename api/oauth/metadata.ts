import { clientAuthMethods } from '../../shared/accounts/oauth/clients.ts';
import { keyScopes } from '../../shared/accounts/key-scopes.ts';
import type { Links } from '../http/links.ts';
import type { Services } from '../services.ts';
import { mcpResource } from './resources.ts';

export const oauthPaths = {
  authorize: '/oauth/authorize',
  token: '/oauth/token',
  register: '/oauth/register',
  revoke: '/oauth/revoke',
} as const;

/** Whether applications can be connected: the page that asks a person is one of the built-in ones. */
export const offersOAuth = ({ config }: Pick<Services, 'config'>): boolean => config.site.isOwn;

/** Protected resource metadata (RFC 9728) of the MCP server, or of the whole service. */
export const describeResource = ({ config }: Pick<Services, 'config'>, links: Links, isMcp: boolean) => ({
  resource: isMcp ? mcpResource(links) : links.base,
  resource_name: config.brand.name,
  authorization_servers: [links.base],
  scopes_supported: keyScopes,
  bearer_methods_supported: ['header'],
  resource_documentation: `${links.base}/llms.txt`,
});

/** Authorization server metadata (RFC 8414). There are no ID tokens, and so no OpenID configuration. */
export const describeAuthorizationServer = ({ profile }: Pick<Services, 'profile'>, { base }: Links) => ({
  issuer: base,
  authorization_endpoint: base + oauthPaths.authorize,
  token_endpoint: base + oauthPaths.token,
  registration_endpoint: base + oauthPaths.register,
  revocation_endpoint: base + oauthPaths.revoke,
  scopes_supported: keyScopes,
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  token_endpoint_auth_methods_supported: clientAuthMethods,
  revocation_endpoint_auth_methods_supported: clientAuthMethods,
  code_challenge_methods_supported: ['S256'],
  authorization_response_iss_parameter_supported: true,
  ui_locales_supported: profile.locales,
  service_documentation: `${base}/llms.txt`,
});

type Challenge = { error?: 'invalid_token' | 'insufficient_scope'; scope?: string };

/** WWW-Authenticate of the MCP server: where a client learns how to connect (RFC 9728, 5.1), and what is wrong (RFC 6750, 3). */
export function challengeOf({ base }: Links, { error, scope }: Challenge = {}): string {
  const parts = [
    ...(error ? [`error="${error}"`] : []),
    ...(scope === undefined ? [] : [`scope="${scope}"`]),
    `resource_metadata="${base}/.well-known/oauth-protected-resource/mcp"`,
  ];
  return `Bearer ${parts.join(', ')}`;
}
