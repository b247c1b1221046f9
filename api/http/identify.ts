import { createHash, timingSafeEqual } from 'node:crypto';
import type { Request, Response } from 'express';
import type { Services } from '../services.ts';
import { authorize, type Caller } from './authenticate.ts';
import { enforceRateLimit } from './enforce-rate-limit.ts';
import type { Operation } from './contract.ts';
import { prefersMarkdown, requestLocale } from './locale.ts';
import type { Locale } from '../../shared/profiles/profile.ts';

/** One request and its answer on their way through the steps of serve.ts. */
export type Exchange = {
  request: Request;
  response: Response;
  caller: Caller | undefined;
  /** The query as it was sent: Express parses it anew whenever it is asked for. */
  query: Request['query'];
  locale: Locale;
  wantsMarkdown: boolean;
  /** A credential keeps away from the cache also where nobody looks at it. */
  hasCredential: boolean;
};

/**
 * Finds the caller of a credential (401 for a bad one, which its address is charged for), takes one request from the caller's
 * budget (429), and holds the caller against the operation's security and role (401, 403).
 */
export async function identify(
  services: Services,
  operation: Operation,
  request: Request,
  response: Response,
): Promise<Exchange> {
  const caller = await findCaller(services, operation, request, response);
  response.locals.userId = caller?.userId;
  const { query } = request;
  return {
    request,
    response,
    caller,
    query,
    locale: requestLocale(request, query, services.profile),
    wantsMarkdown: prefersMarkdown(request),
    hasCredential: request.headers.authorization !== undefined,
  };
}

async function findCaller(
  services: Services,
  operation: Operation,
  request: Request,
  response: Response,
): Promise<Caller | undefined> {
  if (operation.auth.metricsToken && isMetricsToken(services, request)) return undefined;
  let caller: Caller | undefined;
  try {
    if (!operation.auth.public) caller = await services.authenticate(request.headers.authorization);
  } catch (error) {
    await enforceRateLimit(services, operation.rateClass, undefined, response);
    throw error;
  }
  await enforceRateLimit(services, operation.rateClass, caller, response);
  authorize(operation, caller);
  return caller;
}

/** Charges a request that matches no operation as a read: to its caller, or to its address when nobody is known by it. */
export async function rateLimitUnmatched(services: Services, request: Request, response: Response): Promise<void> {
  const caller = await services.authenticate(request.headers.authorization).catch(() => undefined);
  await enforceRateLimit(services, 'read', caller, response);
}

/** METRICS_TOKEN opens /metrics alone: Prometheus cannot renew a session. Compared in constant time. */
function isMetricsToken({ config }: Services, request: Request): boolean {
  const given = /^bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
  if (!config.metricsToken || !given) return false;
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(config.metricsToken));
}
