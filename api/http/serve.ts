import { createHash, timingSafeEqual } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import { invalid } from '../../shared/kit/errors.ts';
import type { Services } from '../services.ts';
import { authorize, type Caller } from './authenticate.ts';
import { createBodyParser, type ParsedBody } from './body.ts';
import { takeFromBudget } from './budget.ts';
import type { Operation } from './contract.ts';
import { prefersMarkdown, prefersPage, requestLocale } from './locale.ts';
import { refuseStranger } from './ownership.ts';
import { checkQuery } from './query.ts';
import { cachedAnswer, replyOf, sendCached, sendReply, type AnyAnswer } from './send.ts';
import type { Request as Input } from './types.ts';
import type { OperationId } from './contract.ts';
import type { Handler } from '../handler.ts';

/** The operations that change listings are among these. */
const LISTING_TAGS = new Set(['listings', 'ingest', 'admin']);

/**
 * The life of a request once its operation is known. Each step is driven by a field of the operation in openapi.yaml:
 * security -> x-rate-limit -> x-role -> x-cache -> requestBody -> parameters and schemas -> Idempotency-Key -> handler.
 */
export function serveOperation(
  services: Services,
  operation: Operation,
  handler: Handler<OperationId>,
): RequestHandler {
  const parseBody = createBodyParser(operation, services);
  const mayChangeListings = operation.method !== 'get' && LISTING_TAGS.has(operation.tag);
  const mayChangeRentals = operation.method !== 'get' && operation.tag === 'rentals';

  return async (request, response) => {
    const caller = await identify(services, operation, request, response);
    response.locals.userId = caller?.userId;
    // Express parses the query anew whenever it is asked for.
    const sent = request.query;
    const locale = requestLocale(request, sent, services.profile);
    const wantsMarkdown = prefersMarkdown(request);

    // What one caller may see must not be kept for another; public answers are kept only with a check of their ETag.
    response.setHeader('Cache-Control', caller || operation.method !== 'get' ? 'no-store' : 'no-cache');
    // A credential keeps away from the cache also where nobody looks at it.
    const isPublic = request.headers.authorization === undefined;
    const cacheKey = isPublic
      ? cacheKeyOf(services, operation, request, response, `${locale} ${wantsMarkdown}`)
      : undefined;
    const kept = cacheKey === undefined ? undefined : services.cache.get(cacheKey);
    if (kept) {
      noteView(services, request, response, kept.viewed, caller);
      noteSearch(services, request, response, kept.searched);
      response.setHeader('X-Cache', 'HIT');
      sendCached(request, response, kept);
      return;
    }

    // Health checks and the like take no parameters and mind none: nothing of their query is read.
    if (operation.queryNames.size > 0 || !operation.toleratesUnknownQuery) checkQuery(request.originalUrl, sent);
    const received =
      operation.bodyTypes.length > 0
        ? await strangersFirst(services, operation, request, caller, () => parseBody(request, response))
        : nothing;
    try {
      const validate = () =>
        services.validate(operation, {
          originalUrl: request.originalUrl,
          headers: request.headers,
          query: sent,
          params: request.params,
          body: received.body,
        });
      const { params, query, body } = await strangersFirst(services, operation, request, caller, validate);
      const input: Input<OperationId> = {
        params: params as never,
        query: query,
        headers: Object.fromEntries(operation.headerNames.map((name) => [name, request.get(name)])),
        body,
        files: received.files as never,
        caller,
        ip: response.locals.network as string,
        locale,
        links: services.links.of(response.locals.proxied === true),
        requestId: response.locals.requestId as string,
        userAgent: request.headers['user-agent'] ?? '',
        wantsMarkdown,
        wantsPage: prefersPage(request),
        unknownQuery: unknownQuery(operation, sent),
      };

      const act = async (own: Services) => (await handler(own, input)) as AnyAnswer;
      const forget = (body: unknown) => {
        if (mayChangeListings) forgetChanged(services, body);
        if (mayChangeRentals) forgetChangedRental(services, body);
      };

      const idempotencyKey = operation.idempotent && caller ? request.get('Idempotency-Key') : undefined;
      if (idempotencyKey && caller) {
        const scope = {
          caller: caller.bucket,
          key: idempotencyKey,
          operation: `${String(operation.id)} ${request.originalUrl}`,
          body: operation.form ? { ...(body as object), files: received.files.map(({ sha256 }) => sha256) } : body,
        };
        let changed: unknown;
        const { replayed, ...reply } = await services.idempotency(scope, async (db) => {
          const answer = await act({ ...services, db });
          changed = answer.body;
          return replyOf(answer);
        });
        if (replayed) response.setHeader('Idempotent-Replayed', 'true');
        else forget(changed);
        sendReply(response, reply);
        return;
      }

      const generation = services.cache.generation();
      const answer = await act(services);
      forget(answer.body);
      noteView(services, request, response, answer.viewed, caller);
      noteSearch(services, request, response, answer.searched);
      const reply = replyOf(answer);
      if (!isPublic || !operation.cache || reply.status !== 200 || answer.isFleeting) {
        sendReply(response, reply);
        return;
      }
      const entry = cachedAnswer(operation.cache.tag, answer, reply);
      if (cacheKey !== undefined) {
        services.cache.set(cacheKey, entry, operation.cache.seconds, generation);
        response.setHeader('X-Cache', 'MISS');
      }
      sendCached(request, response, entry, reply.body);
    } finally {
      await received.discard?.();
    }
  };
}

const nothing: ParsedBody = { body: undefined, files: [] };

/** Looks at what was sent; when it is refused, whoever may not change the thing at all is told that instead. */
async function strangersFirst<T>(
  { db }: Services,
  { owned }: Operation,
  request: Request,
  caller: Caller | undefined,
  look: () => T | Promise<T>,
): Promise<T> {
  try {
    return await look();
  } catch (error) {
    if (owned && caller) await refuseStranger[owned](db, String(request.params.id), caller.userId);
    throw error;
  }
}

/** Finds the caller, takes one from its budget (a bad credential is charged to its address), and holds it against the operation. */
async function identify(
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
    await takeFromBudget(services, operation.rateClass, undefined, response);
    throw error;
  }
  await takeFromBudget(services, operation.rateClass, caller, response);
  authorize(operation, caller);
  return caller;
}

/** Charges a request that meets no operation as a read: to its caller, or to its address when nobody is known by it. */
export async function chargeStray(services: Services, request: Request, response: Response): Promise<void> {
  const caller = await services.authenticate(request.headers.authorization).catch(() => undefined);
  await takeFromBudget(services, 'read', caller, response);
}

/** Whoever changes a listing finds the change at once; every other process learns of it from the journal. */
function forgetChanged({ cache }: Services, body: unknown): void {
  const { id, listing_id } = body as { id?: unknown; listing_id?: unknown };
  cache.forgetListings(new Set([id, listing_id].filter((each) => typeof each === 'string')));
}

/** The same for rentals, whose bookings tell when they are free. */
function forgetChangedRental({ cache }: Services, body: unknown): void {
  const { id, rental_id = id } = body as { id: string; rental_id?: string };
  cache.forgetRentals(new Set([rental_id]));
}

/** A listing that was read counts as a view of it; asking for its headers alone does not. */
function noteView(
  { views }: Services,
  request: Request,
  response: Response,
  listingId: string | undefined,
  caller: Caller | undefined,
): void {
  if (listingId === undefined || request.method === 'HEAD') return;
  const network = response.locals.network as string;
  views.note(listingId, caller ?? { network, userAgent: request.headers['user-agent'] });
}

/** Counts a search, whether its answer was found now or kept. */
function noteSearch(services: Services, request: Request, response: Response, searched: AnyAnswer['searched']): void {
  if (!searched) return;
  services.searchTerms.note(searched, response.locals.network as string, request.headers['user-agent'] ?? '');
}

/** METRICS_TOKEN opens /metrics alone: Prometheus cannot renew a session. Compared in constant time. */
function isMetricsToken({ config }: Services, request: Request): boolean {
  const given = /^bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
  if (!config.metricsToken || !given) return false;
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(config.metricsToken));
}

/** Where an anonymous reader's answer is kept; undefined when this operation or profile keeps none. */
function cacheKeyOf(
  services: Services,
  operation: Operation,
  request: Request,
  response: Response,
  variant: string,
): string | undefined {
  if (!operation.cache || !services.profile.responseCache) return undefined;
  return `${response.locals.proxied === true ? 'p' : 'd'} ${variant} ${request.originalUrl}`;
}

function unknownQuery(operation: Operation, query: Request['query']): string[] {
  const unknown = Object.keys(query).filter((name) => !operation.queryNames.has(name));
  if (unknown.length > 0 && !operation.toleratesUnknownQuery) {
    throw invalid(
      'The query holds parameters that this operation does not have.',
      unknown.map((name) => ({ path: `/query/${name}`, message: 'is not a parameter of this operation' })),
    );
  }
  return unknown;
}
