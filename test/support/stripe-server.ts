import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A checkout session as the server keeps it: what it was asked for, under the names of the form. */
export type StripeSession = { id: string; url: string; params: Record<string, string> };
export type StripeRequest = {
  authorization: string | undefined;
  idempotencyKey: string;
  telemetry: string | undefined;
  params: Record<string, string>;
};

/** What becomes of the next requests: an answer, an error, no answer, or no answer although the session was made. */
export type StripeMood = 'answers' | 'hangs' | 'hangs afterwards' | { status: number; message: string };

export type StripeServer = {
  /** What STRIPE_API_BASE would be. */
  url: string;
  requests: StripeRequest[];
  sessions: StripeSession[];
  feel(mood: StripeMood): void;
  close(): Promise<void>;
};

/** A server on 127.0.0.1 that makes checkout sessions as Stripe does, one per idempotency key. */
export async function startStripeServer(): Promise<StripeServer> {
  const requests: StripeRequest[] = [];
  const sessions: StripeSession[] = [];
  const known = new Map<string, { form: string; session: StripeSession }>();
  /** Keys under which a fault is kept. */
  const broken = new Set<string>();
  let mood: StripeMood = 'answers';

  async function answer(request: IncomingMessage, response: ServerResponse) {
    const form = await textOf(request);
    const params = Object.fromEntries(new URLSearchParams(form));
    const idempotencyKey = String(request.headers['idempotency-key']);
    const { authorization, 'x-stripe-client-telemetry': telemetry } = request.headers;
    requests.push({ authorization, idempotencyKey, telemetry: telemetry?.toString(), params });
    const isRefund = request.url === '/v1/refunds';
    if (request.method !== 'POST' || (!isRefund && request.url !== '/v1/checkout/sessions'))
      return fail(response, 404, 'invalid_request_error', 'Unrecognized request URL');
    if (broken.has(idempotencyKey)) return fail(response, 500, 'api_error', 'Kept under the idempotency key.');
    if (typeof mood === 'object' && mood.status >= 500) broken.add(idempotencyKey);
    if (typeof mood === 'object')
      return fail(response, mood.status, mood.status === 402 ? 'card_error' : 'api_error', mood.message);
    if (mood === 'hangs') return;
    if (isRefund) return send(response, 200, { object: 'refund', id: `re_${idempotencyKey}`, status: 'succeeded' });
    const kept = known.get(idempotencyKey);
    if (kept && kept.form !== form)
      return fail(response, 400, 'idempotency_error', 'Keys for idempotent requests come with the same parameters.');
    const session = kept?.session ?? make(params);
    if (!kept) {
      known.set(idempotencyKey, { form, session });
      sessions.push(session);
    }
    if (mood === 'hangs afterwards') return;
    send(response, 200, { object: 'checkout.session', id: session.id, url: session.url, payment_status: 'unpaid' });
  }

  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    sessions,
    feel: (next) => {
      mood = next;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

let made = 0;

function make(params: Record<string, string>): StripeSession {
  made += 1;
  const id = `cs_test_${made}`;
  return { id, url: `https://checkout.stripe.example/c/pay/${id}`, params };
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'Content-Type': 'application/json', 'Request-Id': 'req_of_the_tests' });
  response.end(JSON.stringify(body));
}

const fail = (response: ServerResponse, status: number, type: string, message: string) =>
  send(response, status, { error: { type, message } });

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
