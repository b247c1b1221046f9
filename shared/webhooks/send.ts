import { Webhook } from 'standardwebhooks';
import { createGuardedFetch } from '../adapters/fetch.ts';
import { FetchError } from '../adapters/fetch-guard.ts';
import { SECOND_MS } from '../kit/clock.ts';
import type { Deadlines } from '../kit/deadlines.ts';
import { MAX_ERROR_LENGTH } from '../kit/errors.ts';

const MAX_ANSWER_BYTES = 65_536;
/** Many subscribers share the host of a service that receives for them: one that hangs must not hold up the others there. */
const CONNECTIONS_PER_HOST = 256;

/** What is posted, and where to. */
export type Message = {
  /** The `webhook-id`: the same whenever the same delivery is repeated. */
  id: string;
  payload: unknown;
  url: string;
  secret: string;
  previous_secret: string | null;
  previous_secret_until: Date | null;
};

/** `error` is null when the subscriber took it. */
export type Outcome = { statusCode: number | null; error: string | null; durationMs: number };

export type WebhookSender = {
  post(message: Message, now: Date, signal?: AbortSignal): Promise<Outcome>;
  close(): Promise<void>;
};

/**
 * Posts messages to subscribers, signed as Standard Webhooks has it: to public (or allowed) addresses only, without
 * following redirects, until a deadline. What goes wrong on the way is an outcome; only an abort of `signal` throws.
 */
export function createWebhookSender(settings: {
  allow: string[];
  userAgent: string;
  deadlines?: Deadlines;
}): WebhookSender {
  const client = createGuardedFetch({ ...settings, connections: CONNECTIONS_PER_HOST });

  async function post(message: Message, now: Date, signal?: AbortSignal): Promise<Outcome> {
    const body = JSON.stringify(message.payload);
    const startedAt = performance.now();
    const end = (statusCode: number | null, error: string | null): Outcome => ({
      statusCode,
      error,
      durationMs: Math.round(performance.now() - startedAt),
    });
    try {
      const { status } = await client.fetch(message.url, {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json', ...sign(message, body, now) },
        ...(signal && { signal }),
        deadline: 'webhook',
        maxBytes: MAX_ANSWER_BYTES,
        maxRedirects: 0,
        handsOnTrace: true,
      });
      return status >= 200 && status < 300 ? end(status, null) : end(status, `The server answered ${status}.`);
    } catch (error) {
      if (!(error instanceof FetchError)) throw error;
      return end(null, error.message.slice(0, MAX_ERROR_LENGTH));
    }
  }

  return { post, close: () => client.close() };
}

/** While a secret is being replaced, both sign. */
function sign(message: Message, body: string, now: Date): Record<string, string> {
  const { previous_secret: previous, previous_secret_until: until } = message;
  const secrets = [message.secret, ...(previous !== null && until !== null && until > now ? [previous] : [])];
  return {
    'webhook-id': message.id,
    'webhook-timestamp': String(Math.floor(now.getTime() / SECOND_MS)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(message.id, now, body)).join(' '),
  };
}
