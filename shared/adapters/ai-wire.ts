import { setTimeout as sleep } from 'node:timers/promises';
import type { OpenAI } from 'openai';
import { z } from 'zod';
import type { Config } from '../kit/config.ts';
import { inClientSpan } from '../kit/tracing.ts';
import { AiError } from './ai-error.ts';

export type AiMessage = OpenAI.Chat.Completions.ChatCompletionMessageParam;
export type AiReply = { text: string; isCutOff: boolean };
export type AiQuestion = { messages: AiMessage[]; schema: { name: string; json: Record<string, unknown> } };
export type AiWire = {
  complete(question: AiQuestion, budget: { retries: number }, signal: AbortSignal): Promise<AiReply>;
  isHealthy(withinMs: number): Promise<boolean>;
};

/** No answer that is of use is longer. */
const MAX_ANSWER_BYTES = 1_000_000;
const MAX_WAIT_MS = 5_000;
const MIN_WAIT_MS = 150;

const completion = z.object({
  choices: z
    .array(
      z.object({
        finish_reason: z.string().nullish(),
        message: z.object({ content: z.string().nullish(), refusal: z.string().nullish() }),
      }),
    )
    .min(1),
});

/**
 * The chat completions of an OpenAI-compatible server. One that knows no JSON schemas is asked for plain JSON from then on.
 * Whatever goes wrong is an AiError, and the abort of the signal its reason.
 */
export function createAiWire({ apiKey, baseUrl, model }: NonNullable<Config['openai']>): AiWire {
  let loading: Promise<OpenAI> | undefined;
  let knowsSchemas = true;

  const client = () =>
    (loading ??= import('openai').then(
      ({ OpenAI: Client }) =>
        new Client({
          apiKey,
          baseURL: baseUrl,
          organization: null,
          project: null,
          maxRetries: 0,
          logLevel: 'off',
          fetch: fetchBounded,
        }),
    ));

  async function send({ messages, schema }: AiQuestion, signal: AbortSignal): Promise<AiReply> {
    const format = knowsSchemas
      ? { type: 'json_schema' as const, json_schema: { name: schema.name, schema: schema.json, strict: true } }
      : { type: 'json_object' as const };
    const { chat } = await client();
    const body = { model, messages, response_format: format };
    const [choice] = completion.parse(await chat.completions.create(body, { signal })).choices;
    const { content, refusal } = choice?.message ?? {};
    if (refusal || choice?.finish_reason === 'content_filter')
      throw new AiError('unusable', 'The provider declines to answer.', ['declined']);
    return { text: content ?? '', isCutOff: choice?.finish_reason === 'length' };
  }

  return {
    async complete(question, budget, signal) {
      for (;;) {
        signal.throwIfAborted();
        try {
          return await untilAborted(send(question, signal), signal);
        } catch (error) {
          if (signal.aborted) throw signal.reason;
          if (statusOf(error) === 400) {
            // A second refusal is not about the schema.
            knowsSchemas = !knowsSchemas;
            if (!knowsSchemas) continue;
          }
          const failure = toAiError(error);
          const waitMs = waitAfter(error);
          if (!failure.retryable || budget.retries === 0 || waitMs > MAX_WAIT_MS) throw failure;
          budget.retries -= 1;
          await untilAborted(sleep(waitMs, undefined, { signal }), signal);
        }
      }
    },
    async isHealthy(withinMs) {
      try {
        await (await client()).models.retrieve(model, { signal: AbortSignal.timeout(withinMs) });
        return true;
      } catch (error) {
        // A server without a list of models answers all the same.
        return [404, 405].includes(statusOf(error) ?? 0);
      }
    },
  };
}

/** As fetch, but a body beyond the limit fails. */
async function fetchBounded(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const { href } = new URL(input instanceof Request ? input.url : input);
  const response = await inClientSpan(init?.method ?? 'GET', href, () => fetch(input, init));
  let size = 0;
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      size += chunk.byteLength;
      if (size > MAX_ANSWER_BYTES) controller.error(new AiError('unavailable', 'The provider answers too much.'));
      else controller.enqueue(chunk);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(response.body?.pipeThrough(limit) ?? null, { status, statusText, headers });
}

/** The work's outcome, or the reason of an abort that comes first, also when the work does not mind its signal. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const stop = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function statusOf(error: unknown): number | undefined {
  const status: unknown = error instanceof Error && 'status' in error ? error.status : undefined;
  return typeof status === 'number' ? status : undefined;
}

/** A cut or strange answer is a fault on the way as much as a status of 500 is. */
function toAiError(error: unknown): AiError {
  if (error instanceof AiError) return error;
  const status = statusOf(error);
  if (status === undefined) return new AiError('unavailable', 'The provider gives no usable answer.');
  const isPassing = status >= 500 || [408, 409, 425, 429].includes(status);
  return new AiError(isPassing ? 'unavailable' : 'refused', `The provider answers ${status}.`);
}

/** What the provider asks for, else a moment. */
function waitAfter(error: unknown): number {
  const headers: unknown = error instanceof Error && 'headers' in error ? error.headers : undefined;
  const seconds = headers instanceof Headers ? Number(headers.get('retry-after') ?? Number.NaN) : Number.NaN;
  return Number.isFinite(seconds) ? Math.max(MIN_WAIT_MS, seconds * 1_000) : MIN_WAIT_MS;
}
