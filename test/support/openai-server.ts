import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Part = { type: string; text?: string; image_url?: { url: string } };
export type AiServerRequest = {
  path: string;
  authorization: string | undefined;
  body: {
    model: string;
    messages: { role: string; content: string | Part[] }[];
    response_format: { type: string; json_schema?: { name: string; schema: object } };
  };
};

/** What becomes of a request. `json` is the model's answer, `text` the same as it stands. */
export type AiMood =
  | { json: unknown }
  | { text: string; finish_reason?: string }
  | { refusal: string }
  | { status: number; message?: string; headers?: Record<string, string> }
  | 'hangs'
  | 'hangs midway'
  | 'cut JSON'
  | 'HTML'
  | 'huge'
  | 'disconnects';
type Answerer = AiMood | ((request: AiServerRequest) => AiMood | Promise<AiMood>);

export type OpenAiServer = {
  /** What OPENAI_BASE_URL would be. */
  url: string;
  requests: AiServerRequest[];
  /** How requests are answered from now on: in this order, the last one for all that follow. */
  feel(...moods: [Answerer, ...Answerer[]]): void;
  /** What the user's message of a request says. */
  materialOf(request: AiServerRequest): string;
  close(): Promise<void>;
};

/** A server on 127.0.0.1 that speaks the chat completions of OpenAI, with every fault they have. */
export async function startOpenAiServer(): Promise<OpenAiServer> {
  const requests: AiServerRequest[] = [];
  let queue: Answerer[] = [{ json: {} }];

  async function answer(message: IncomingMessage, response: ServerResponse) {
    if (message.method === 'GET') {
      const [mood] = queue;
      if (typeof mood === 'object' && 'status' in mood) return fail(response, mood);
      return send(response, { id: 'a-model', object: 'model' });
    }
    const request = await take(message);
    requests.push(request);
    const next = (queue.length > 1 ? queue.shift() : queue[0]) as Answerer;
    const mood = typeof next === 'function' ? await next(request) : next;
    if (mood === 'hangs') return;
    if (mood === 'disconnects') return void response.destroy();
    if (mood === 'HTML') {
      response.writeHead(200, { 'Content-Type': 'text/html' }).end('<html><body>Welcome to the proxy</body></html>');
      return;
    }
    if (mood === 'cut JSON' || mood === 'hangs midway' || mood === 'huge') {
      response.writeHead(200, { 'Content-Type': 'application/json' });
      if (mood === 'huge') return void response.end(JSON.stringify(completion('x'.repeat(5_000_000))));
      response.write('{"id":"chatcmpl-1","choices":[{"message":{"role":"assi');
      if (mood === 'cut JSON') response.end();
      return;
    }
    if ('status' in mood) return fail(response, mood);
    if ('refusal' in mood) return send(response, completion(null, 'stop', mood.refusal));
    if ('text' in mood) return send(response, completion(mood.text, mood.finish_reason));
    send(response, completion(JSON.stringify(mood.json)));
  }

  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    feel(...moods) {
      queue = moods;
      requests.length = 0;
    },
    materialOf({ body }) {
      const content = body.messages.find(({ role }) => role === 'user')?.content ?? '';
      return typeof content === 'string' ? content : (content.find(({ type }) => type === 'text')?.text ?? '');
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const completion = (content: string | null, finish_reason = 'stop', refusal?: string) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  choices: [{ index: 0, finish_reason, message: { role: 'assistant', content, refusal: refusal ?? null } }],
});

function send(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}

function fail(response: ServerResponse, { status, message = 'no', headers = {} }: Extract<AiMood, { status: number }>) {
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
  response.end(JSON.stringify({ error: { message, type: 'server_error', param: null, code: null } }));
}

async function take(message: IncomingMessage): Promise<AiServerRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return {
    path: message.url ?? '',
    authorization: message.headers.authorization,
    body: JSON.parse(Buffer.concat(chunks).toString('utf8')) as AiServerRequest['body'],
  };
}
