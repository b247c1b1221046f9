import type { RequestHandler } from 'express';
import type { Handler } from '../handler.ts';
import type { Services } from '../services.ts';
import { runOperation, writes } from './act.ts';
import { announceDeprecation } from './announce-deprecation.ts';
import type { Operation, OperationId } from './contract.ts';
import { identify, type Exchange } from './identify.ts';
import { keyedBodyOf, type Reply } from './idempotency.ts';
import { POSITION_HEADER } from './read-database.ts';
import { createReceiver, type Received } from './receive.ts';
import { isStream, replyOf, sendCached, sendReply, sendStream, toCachedAnswer, type AnyAnswer } from './send.ts';

/**
 * The life of a request once its operation is known, in five steps, each driven by fields of the operation in openapi.yaml:
 * identify (security, x-rate-limit, x-role), cached answer (x-cache), receive (requestBody, x-owner, parameters and schemas),
 * act (Idempotency-Key, handler), reply. A step that refuses throws, and none of the later ones is taken.
 */
export function serveOperation(
  services: Services,
  operation: Operation,
  handler: Handler<OperationId>,
): RequestHandler {
  const receive = createReceiver(services, operation);
  return async (request, response) => {
    if (operation.deprecations.length > 0)
      announceDeprecation(operation, request, response, services.links.of(response.locals.proxied === true));
    const exchange = await identify(services, operation, request, response);
    const cacheKey = cacheKeyOf(services, operation, exchange);
    if (replyFromCache(services, operation, exchange, cacheKey)) return;
    const received = await receive(exchange);
    try {
      const outcome = await act(services, operation, handler, exchange, received.input);
      reply(services, operation, exchange, cacheKey, outcome);
    } finally {
      await received.discard?.();
    }
  };
}

/** Answers an anonymous reader with what was made for another one within the seconds of x-cache; its effects count again. */
function replyFromCache(
  services: Services,
  operation: Operation,
  exchange: Exchange,
  cacheKey: string | undefined,
): boolean {
  const { request, response, caller } = exchange;
  // What one caller may see must not be cached for another; public answers are cached only with a check of their ETag.
  response.setHeader('Cache-Control', caller || operation.method !== 'get' ? 'no-store' : 'no-cache');
  const cached = cacheKey === undefined ? undefined : services.cache.get(cacheKey);
  if (!cached) return false;
  applyEffects(services, exchange, cached, true);
  response.setHeader('X-Cache', 'HIT');
  sendCached(request, response, cached);
  return true;
}

/** Without a reply the answer is a stream. */
type Outcome = { reply: Reply | undefined; answer: AnyAnswer | undefined; generation: number };

/**
 * Runs the handler; with an Idempotency-Key once for all repetitions, which are given the first answer without its effects: what
 * it changed was told when it was changed.
 */
async function act(
  services: Services,
  operation: Operation,
  handler: Handler<OperationId>,
  { request, response, caller }: Exchange,
  input: Received['input'],
): Promise<Outcome> {
  const generation = services.cache.generation();
  const key = operation.idempotent && caller ? request.get('Idempotency-Key') : undefined;
  const keyed =
    key && caller
      ? {
          caller: caller.bucket,
          key,
          operation: `${operation.id} ${request.originalUrl}`,
          body: keyedBodyOf(operation, input),
        }
      : undefined;
  const outcome = await runOperation(services, operation, handler, input, keyed);
  const position = writes(operation) ? services.reads.position() : undefined;
  if (position !== undefined) response.setHeader(POSITION_HEADER, position);
  if (outcome.replayed) response.setHeader('Idempotent-Replayed', 'true');
  else outcome.reply ??= isStream(outcome.answer.body) ? undefined : replyOf(outcome.answer);
  return { reply: outcome.reply, answer: outcome.answer, generation };
}

/** Applies the effects of what was done, then sends the answer, and caches one that others may be given too. */
function reply(
  services: Services,
  { cache }: Operation,
  exchange: Exchange,
  cacheKey: string | undefined,
  { reply: made, answer, generation }: Outcome,
): void {
  const { request, response, hasCredential } = exchange;
  if (answer) applyEffects(services, exchange, answer, false);
  if (!made) return sendStream(request, response, answer!, services.config.deadlines.streamStall);
  if (!answer || hasCredential || !cache || made.status !== 200 || answer.isFleeting) {
    sendReply(response, made);
    return;
  }
  const entry = toCachedAnswer(cache.tag, answer, made);
  if (cacheKey !== undefined) {
    services.cache.set(cacheKey, entry, cache.seconds, generation);
    response.setHeader('X-Cache', 'MISS');
  }
  sendCached(request, response, entry, made.body);
}

/**
 * Where an anonymous reader's answer is cached; undefined when this operation or profile caches none, and for whoever brings the
 * position of a write: what is cached may be from before it.
 */
function cacheKeyOf(
  { profile }: Services,
  { cache }: Operation,
  { request, response, locale, wantsMarkdown, hasCredential }: Exchange,
): string | undefined {
  if (!cache || !profile.responseCache || hasCredential || request.get(POSITION_HEADER) !== undefined) return undefined;
  return `${response.locals.proxied === true ? 'p' : 'd'} ${locale} ${wantsMarkdown} ${request.originalUrl}`;
}

function applyEffects(
  services: Services,
  { request, response, caller }: Exchange,
  { effects }: Pick<AnyAnswer, 'effects'>,
  isCacheHit: boolean,
): void {
  if (!effects) return;
  services.applyEffects(effects, {
    caller,
    network: response.locals.network as string,
    userAgent: request.headers['user-agent'] ?? '',
    isHead: request.method === 'HEAD',
    isCacheHit,
  });
}
