import express, { Router, type RequestHandler, type Response } from 'express';
import { ServiceError } from '../../shared/kit/errors.ts';
import { enforceRateLimit } from '../http/enforce-rate-limit.ts';
import type { RateClass } from '../http/contract.ts';
import type { Services } from '../services.ts';
import { renderOAuthError } from './errors.ts';
import { endToken, exchangeToken } from './exchange-token.ts';
import { readOAuthParameters } from './parameters.ts';
import { describeAuthorizationServer, describeResource, oauthPaths, offersOAuth } from './metadata.ts';
import { registerClient } from './register-client.ts';

const MAX_BODY = '32kb';
const METADATA_AGE = 'public, max-age=300';

/**
 * OAuth 2.1 for MCP clients, but for the page that asks a person: metadata, registration, tokens and revocation. Documents are at
 * their well-known paths below the base that the request came in by, and where RFC 8414 and RFC 9728 put those of a base with a
 * path: before it. With SITE_URL there is none of it.
 */
export function serveOAuth(services: Services): Router {
  const router = Router({ strict: true, caseSensitive: true });
  if (!offersOAuth(services)) return router;
  const { links } = services;
  const linksOf = (response: Response, isProxied = false) => links.of(isProxied || response.locals.proxied === true);
  const document = (path: string, isProxied: boolean, describe: (links: ReturnType<typeof linksOf>) => object) =>
    router.get(path, nameOperation('oauth-metadata'), (_request, response) => {
      response.set('Cache-Control', METADATA_AGE).json(describe(linksOf(response, isProxied)));
    });
  for (const prefix of new Set(['', links.prefix])) {
    const isProxied = prefix !== '';
    document(`/.well-known/oauth-authorization-server${prefix}`, isProxied, (own) =>
      describeAuthorizationServer(services, own),
    );
    for (const [path, isMcp] of [
      ['', false],
      ['/mcp', true],
    ] as const)
      document(`/.well-known/oauth-protected-resource${prefix}${path}`, isProxied, (own) =>
        describeResource(services, own, isMcp),
      );
  }

  const answerTo = (path: string, rateClass: RateClass, parse: RequestHandler, answer: Endpoint) => {
    const handlers: RequestHandler[] = [
      nameOperation(path.slice(1)),
      async (_request, response, next) => {
        await enforceRateLimit(services, rateClass, undefined, response);
        next();
      },
      parse,
      async (request, response) => {
        const [status, body] = await answer(request.body ?? {}, request.headers.authorization, response);
        response.status(status).set('Cache-Control', 'no-store').json(body);
      },
    ];
    router.post(path, ...handlers);
    router.all(path, () => {
      throw new ServiceError('method_not_allowed', 'This address answers POST.', {
        headers: { Allow: 'POST, OPTIONS' },
      });
    });
    router.use(path, renderOAuthError(services));
  };
  const form = express.urlencoded({ extended: false, limit: MAX_BODY, parameterLimit: 50 });
  answerTo(oauthPaths.register, 'credentials', express.json({ limit: MAX_BODY }), async (body) => [
    201,
    await registerClient(services, body),
  ]);
  answerTo(oauthPaths.token, 'read', form, async (body, authorization, response) => [
    200,
    await exchangeToken(services, linksOf(response), authorization, readOAuthParameters(body)),
  ]);
  answerTo(oauthPaths.revoke, 'read', form, async (body, authorization) => {
    await endToken(services, authorization, readOAuthParameters(body));
    return [200, {}];
  });
  return router;
}

type Endpoint = (
  body: Record<string, unknown>,
  authorization: string | undefined,
  response: Response,
) => Promise<[status: number, body: object]>;

const nameOperation =
  (name: string): RequestHandler =>
  (_request, response, next) => {
    response.locals.operation = name;
    next();
  };
