import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type ModerationRequest = {
  path: string;
  authorization: string | undefined;
  body: { model: string; input: string };
};
type Reply = (response: ServerResponse) => void;
export type ModerationServer = {
  /** What OPENAI_BASE_URL would be. */
  url: string;
  requests: ModerationRequest[];
  /** How every request is answered from now on. */
  reply(reply: Reply): void;
  close(): Promise<void>;
};

const json =
  (status: number, body: unknown): Reply =>
  (response) => {
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  };

/** The moderation answer for a text flagged for these categories, or for none. */
export const judgement = (...flagged: string[]): Reply => {
  const categories = Object.fromEntries(
    ['harassment', 'hate', 'illicit', 'illicit/violent', 'sexual', 'violence'].map((name) => [
      name,
      flagged.includes(name),
    ]),
  );
  const scores = Object.fromEntries(Object.entries(categories).map(([name, is]) => [name, is ? 0.97 : 0.0001]));
  return json(200, {
    id: 'modr-5613',
    model: 'omni-moderation-latest',
    results: [{ flagged: flagged.length > 0, categories, category_scores: scores, category_applied_input_types: {} }],
  });
};

/** An error as the provider words it; the message quotes what the request was made with. */
export const providerError = (status: number, message: string, headers: Record<string, string> = {}): Reply => {
  const answer = json(status, { error: { message, type: 'server_error', param: null, code: null } });
  return (response) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    answer(response);
  };
};

/** A server on 127.0.0.1 that speaks the moderation wire. */
export async function startModerationServer(): Promise<ModerationServer> {
  const requests: ModerationRequest[] = [];
  let current: Reply = judgement();
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    requests.push(await take(request));
    current(response);
  };
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    reply: (reply) => {
      current = reply;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function take(request: IncomingMessage): Promise<ModerationRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return {
    path: request.url ?? '',
    authorization: request.headers.authorization,
    body: JSON.parse(Buffer.concat(chunks).toString('utf8')) as ModerationRequest['body'],
  };
}
