import { z } from 'zod';
import type { Config } from '../kit/config.ts';
import { deadlinesOf } from '../kit/deadlines.ts';
import type { Logger } from '../kit/log.ts';

/** What the provider is shown of a listing or a review. */
export type TextToJudge = { title: string; description: string; tags?: readonly string[] };

/** The categories that a text is flagged for, none when it is fine; undefined when the provider does not answer. */
export type AiModeration = (text: TextToJudge) => Promise<string[] | undefined>;

const MODEL = 'omni-moderation-latest';
/** More than any listing holds. */
const MAX_TEXT_LENGTH = 10_000;

const answer = z.object({
  results: z.array(z.object({ flagged: z.boolean(), categories: z.record(z.string(), z.boolean().nullable()) })).min(1),
});

/**
 * Asks the moderation of an OpenAI-compatible server, until a deadline and without a second try: a listing does not
 * wait for a provider that is down. A failure is logged once, without the text, and without the provider's words, which
 * may quote the key.
 */
export function createAiModeration(
  { apiKey, baseUrl }: NonNullable<Config['openai']>,
  log: Pick<Logger, 'warn'>,
  deadlineMs = deadlinesOf().moderation,
): AiModeration {
  const client = loadOnce(async () => {
    const { OpenAI } = await import('openai');
    return new OpenAI({ apiKey, baseURL: baseUrl, organization: null, project: null, maxRetries: 0, logLevel: 'off' });
  });
  return async ({ title, description, tags = [] }) => {
    const input = [title, description, ...tags].join('\n').slice(0, MAX_TEXT_LENGTH);
    const started = performance.now();
    try {
      const { moderations } = await client();
      const signal = AbortSignal.timeout(deadlineMs);
      const { results } = answer.parse(await moderations.create({ model: MODEL, input }, { signal }));
      const flagged = results.filter((result) => result.flagged).flatMap(({ categories }) => namesOf(categories));
      return [...new Set(flagged)];
    } catch (error) {
      const duration_ms = Math.round(performance.now() - started);
      log.warn(
        { failure: describe(error), duration_ms },
        'the moderation provider gives no answer; the rules alone decide',
      );
      return undefined;
    }
  };
}

function namesOf(categories: Record<string, boolean | null>): string[] {
  const names = Object.entries(categories).flatMap(([name, isFlagged]) => (isFlagged ? [name] : []));
  return names.length > 0 ? names : ['unspecified'];
}

/** The kind of an error and its HTTP status, and nothing of its message. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const status: unknown = 'status' in error ? error.status : undefined;
  return typeof status === 'number' ? `${error.constructor.name} ${status}` : error.constructor.name;
}

function loadOnce<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return () => (loading ??= load());
}
