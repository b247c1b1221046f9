import { promisify } from 'node:util';
import express, { Router, type ErrorRequestHandler, type Request, type Response } from 'express';
import { ServiceError } from '../../shared/kit/errors.ts';
import { enforceRateLimit } from '../http/enforce-rate-limit.ts';
import { prefersPage } from '../http/locale.ts';
import type { Perform } from '../http/perform.ts';
import { logFailure, toServiceError } from '../http/render-error.ts';
import { sendCached, sendReply, toCachedAnswer } from '../http/send.ts';
import { urlTo } from '../../shared/kit/site-links.ts';
import type { Services } from '../services.ts';
import { showError } from './error-page.ts';
import { writeContentPolicy } from './content-policy.ts';
import { renderDocument } from './layout.ts';
import type { PageAnswer, PageHandler } from './page-handler.ts';
import { pageRoutes } from './routes.ts';
import { createUploadReceiver } from './upload.ts';
import { assertOwnForm, openVisit, readCookie, readPosition, SESSION_COOKIE, writePosition } from './visit.ts';
import type { FormFields, Visit } from './visit.ts';

const CACHE_SECONDS = 30;
const MAX_FORM = '256kb';
const MAX_FIELDS = 500;

/**
 * The pages for people, beside the API. Reading one charges the budget of reads; what a form asks for is done by operations of the
 * contract, which charge theirs. Pages of visitors who have not signed in are cached as answers of the API are. With SITE_URL
 * there are none, and the front page leads there.
 */
export function servePages(services: Services, perform: Perform): Router {
  const { site } = services.config;
  const router = Router({ strict: true, caseSensitive: true });
  if (!site.isOwn) {
    router.get('/', (_request, response) => {
      response.locals.operation = 'page /';
      response.redirect(302, urlTo(site, 'home', {}));
    });
    return router;
  }
  for (const { path, show, act, upload } of pageRoutes) {
    router.use(path, nameOperation(path));
    if (show) router.get(path, async (request, response) => read(services, perform, show, request, response));
    if (show && path !== '/') router.get(`${path}/`, withoutSlash(services));
    if (!act) continue;
    const receive = upload === undefined ? receiveForm : createUploadReceiver(services, upload);
    router.post(path, async (request, response) => {
      const visit = await openVisit(services, perform, request, response);
      await enforceRateLimit(services, 'read', visit.caller, response);
      const discard = await receive(visit, response);
      try {
        const answer = await act(visit);
        send(visit, response, answer, services.reads.position());
      } finally {
        await discard?.();
      }
    });
  }
  return router;
}

const parseForm = promisify(express.urlencoded({ extended: false, limit: MAX_FORM, parameterLimit: MAX_FIELDS }));

/** Reads the fields of a form, which has to be one of our own. */
async function receiveForm(visit: Visit, response: Response): Promise<undefined> {
  await parseForm(visit.request, response);
  visit.form = (visit.request.body ?? {}) as FormFields;
  assertOwnForm(visit, visit.form._csrf);
}

/** The address that a page has, for one who has put a slash behind it. */
const withoutSlash = (services: Services) => (request: Request, response: Response) => {
  const { base } = services.links.of(response.locals.proxied === true);
  response.redirect(301, base + request.url.replace(/\/(?=\?|$)/, ''));
};

const nameOperation = (path: string) => (_request: Request, response: Response, next: () => void) => {
  response.locals.operation = `page ${path}`;
  next();
};

async function read(services: Services, perform: Perform, show: PageHandler, request: Request, response: Response) {
  const key = cacheKeyOf(services, request, response);
  const cached = key === undefined ? undefined : services.cache.get(key);
  if (cached) {
    await enforceRateLimit(services, 'read', undefined, response);
    setPolicy(services, response);
    if (cached.effects)
      services.applyEffects(cached.effects, {
        caller: undefined,
        network: response.locals.network as string,
        userAgent: request.headers['user-agent'] ?? '',
        isHead: request.method === 'HEAD',
        isCacheHit: true,
      });
    return sendCached(request, response, cached);
  }
  const visit = await openVisit(services, perform, request, response);
  await enforceRateLimit(services, 'read', visit.caller, response);
  const generation = services.cache.generation();
  const answer = await show(visit);
  if (key === undefined || visit.caller || !('page' in answer) || answer.tag === undefined)
    return send(visit, response, answer);
  const reply = replyOf(visit, answer);
  const entry = toCachedAnswer(answer.tag, { cacheSubject: answer.subject, effects: answer.effects }, reply);
  services.cache.set(key, entry, CACHE_SECONDS, generation);
  setPolicy(services, response);
  sendCached(request, response, entry, reply.body);
}

/** Where a page for a visitor without a session, who has not just written, is cached. */
function cacheKeyOf({ profile }: Services, request: Request, response: Response): string | undefined {
  const isOwn = readCookie(request, SESSION_COOKIE) !== undefined || readPosition(request) !== undefined;
  if (!profile.responseCache || isOwn) return undefined;
  const proxied = response.locals.proxied === true ? 'p' : 'd';
  return `page ${proxied} ${request.headers['accept-language'] ?? ''} ${request.originalUrl}`;
}

function send(visit: Visit, response: Response, answer: PageAnswer, position?: string): void {
  setPolicy(visit.services, response, 'page' in answer ? answer.formTargets : []);
  response.setHeader('Cache-Control', visit.caller ? 'no-store' : 'no-cache');
  const { 'Set-Cookie': own, ...headers } = answer.headers ?? {};
  const cookies = [
    ...(own === undefined ? [] : [own]),
    ...(position === undefined ? [] : [writePosition(visit, position)]),
  ];
  if (cookies.length > 0) response.setHeader('Set-Cookie', cookies);
  if ('location' in answer) {
    response.set(headers).redirect(303, answer.location);
    return;
  }
  const reply = replyOf(visit, { ...answer, headers });
  sendReply(response, { ...reply, body: Buffer.from(reply.body) });
}

const replyOf = (visit: Visit, { page, status = 200, headers = {} }: Extract<PageAnswer, { page: unknown }>) => ({
  status,
  headers: {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Language': visit.locale,
    Vary: 'Accept-Language, Cookie',
    'Cache-Control': visit.caller ? 'no-store' : 'no-cache',
    ...headers,
  },
  body: renderDocument(visit, page),
});

function setPolicy({ config, pageCaches }: Services, response: Response, formTargets: readonly string[] = []): void {
  const policy = formTargets.length > 0 ? writeContentPolicy(config, formTargets) : pageCaches.policy;
  response.setHeader('Content-Security-Policy', policy);
  response.setHeader('Referrer-Policy', 'strict-origin-when-cross-origin');
}

/**
 * Shows what was refused as a page to browsers that asked for one: an unknown address, a thing that is gone, too many requests. A
 * visitor who has to sign in first is led there, and back.
 */
export function renderPageErrors(services: Services, perform: Perform): ErrorRequestHandler {
  return async (error: unknown, request, response, next) => {
    const isApi = request.path.startsWith('/api') || request.path.startsWith('/static');
    if (isApi || response.headersSent || !prefersPage(request)) return next(error);
    const known = toServiceError(error) ?? new ServiceError('internal_error', 'Something went wrong on our side.');
    try {
      const visit = await openVisit(services, perform, request, response);
      response.set(known.headers).removeHeader('WWW-Authenticate');
      send(visit, response, showError(visit, known));
    } catch {
      return next(error);
    }
    if (known.status >= 500) logFailure(services.log, error, request, response);
  };
}
