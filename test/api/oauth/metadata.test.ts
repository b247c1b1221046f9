import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { closeApps, startApp, type TestApp } from '../../support/app.ts';
import { connectTestClient } from '../../support/oauth-client.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(closeApps);

const read = async (path: string, of = app) => {
  const response = await fetch(of.url + path);
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Record<string, unknown>,
  };
};

describe('the metadata', () => {
  test('of the resources name themselves, their authorization server and scopes', async () => {
    const mcp = await read('/.well-known/oauth-protected-resource/mcp');
    expect(mcp.body).toMatchObject({
      resource: `${app.url}/mcp`,
      authorization_servers: [app.url],
      scopes_supported: ['read', 'listings:write', 'messages', 'publish', 'admin'],
      bearer_methods_supported: ['header'],
    });
    expect(mcp.headers.get('content-type')).toMatch(/^application\/json/);
    expect(mcp.headers.get('access-control-allow-origin')).toBe('*');
    expect((await read('/.well-known/oauth-protected-resource')).body.resource).toBe(app.url);
    expect((await read('/.well-known/oauth-protected-resource/other')).status).toBe(404);
  });

  test('of the authorization server say what it does, and no OpenID that it does not', async () => {
    const { body } = await read('/.well-known/oauth-authorization-server');
    expect(body).toMatchObject({
      issuer: app.url,
      authorization_endpoint: `${app.url}/oauth/authorize`,
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      grant_types_supported: ['authorization_code', 'refresh_token'],
    });
    for (const name of ['token', 'registration', 'revocation']) {
      const { pathname } = new URL(body[`${name}_endpoint`] as string);
      expect((await read(pathname)).status, name).toBe(405);
    }
    expect((await read('/.well-known/openid-configuration')).status).toBe(404);
  });

  test('behind a proxy with a path name the addresses of the proxy, also where RFC 8414 and RFC 9728 put them', async () => {
    const proxied = await startApp({ env: { PROXY_BASE_URL: 'https://boats.example/market' } });
    const base = 'https://boats.example/market';
    for (const path of [
      '/market/.well-known/oauth-protected-resource/mcp',
      '/.well-known/oauth-protected-resource/market/mcp',
    ])
      expect((await read(path, proxied)).body).toMatchObject({
        resource: `${base}/mcp`,
        authorization_servers: [base],
      });
    for (const path of [
      '/market/.well-known/oauth-authorization-server',
      '/.well-known/oauth-authorization-server/market',
    ])
      expect((await read(path, proxied)).body).toMatchObject({ issuer: base, token_endpoint: `${base}/oauth/token` });
    const direct = await read('/.well-known/oauth-protected-resource/mcp', proxied);
    expect(direct.body.resource).toBe(`${proxied.url}/mcp`);
    const refused = await fetch(`${proxied.url}/market/mcp`, {
      method: 'POST',
      headers: { Authorization: 'Bearer x' },
    });
    expect(refused.headers.get('www-authenticate')).toContain(`"${base}/.well-known/oauth-protected-resource/mcp"`);
  });

  test('are linked from what agents read first', async () => {
    const protectedResource = `${app.url}/.well-known/oauth-protected-resource`;
    const { body: discovery } = await app.as().get('/.well-known/ai.json');
    expect(discovery.api.auth.oauth).toBe(protectedResource);
    const { body: card } = await app.as().get('/.well-known/agent-card.json');
    const { oauth2SecurityScheme: scheme } = card.securitySchemes.oauth2;
    expect(scheme.oauth2MetadataUrl).toBe(`${app.url}/.well-known/oauth-authorization-server`);
    expect(Object.keys(scheme.flows.authorizationCode.scopes)).toHaveLength(5);
    expect((await app.as().get('/llms.txt')).text).toContain(`${protectedResource}/mcp`);
    expect((await app.as().get('/.well-known/api-catalog')).text).toContain(`${protectedResource}/mcp`);
    const { components, paths } = (await app.as().get('/api/openapi.json')).body;
    expect(components.securitySchemes.oauth2.type).toBe('oauth2');
    expect(paths['/api/listings'].post.security).toContainEqual({ oauth2: ['listings:write'] });
  });
});

test('where another front end shows the pages there is no OAuth, and nothing says that there is', async () => {
  const site = await startApp({ env: { SITE_URL: 'https://boats.example' } });
  for (const path of ['/.well-known/oauth-protected-resource/mcp', '/.well-known/oauth-authorization-server'])
    expect((await read(path, site)).status, path).toBe(404);
  expect((await read('/oauth/authorize', site)).status).toBe(404);
  const refused = await fetch(`${site.url}/mcp`, { method: 'POST', headers: { Authorization: 'Bearer x' } });
  expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
  for (const path of ['/llms.txt', '/.well-known/ai.json', '/.well-known/agent-card.json', '/.well-known/api-catalog'])
    expect((await site.as().get(path)).text, path).not.toContain('oauth');
});

test('a token is accepted in the general profile as in the nautical one', async () => {
  const general = await startApp({ profile: 'general' });
  const { tokens } = await connectTestClient(general, await general.createUser());
  expect((await general.as(tokens.access_token).get('/api/me')).status).toBe(200);
});
