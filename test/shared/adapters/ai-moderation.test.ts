import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createAiModeration, type AiModeration } from '../../../shared/adapters/ai-moderation.ts';
import {
  judgement,
  providerError,
  startModerationServer,
  type ModerationServer,
} from '../../support/moderation-server.ts';

const apiKey = 'sk-test-never-to-be-logged';
const text = { title: 'A kestrel of a boat', description: 'She flies over the waves.', tags: ['bluewater'] };
const DEADLINE_MS = 400;

let server: ModerationServer;
let logged: { fields: object; message: string }[];
let ask: AiModeration;
beforeAll(async () => {
  server = await startModerationServer();
});
afterAll(() => server.close());
beforeEach(() => {
  logged = [];
  server.requests.length = 0;
  const log = { warn: (fields: object, message: string) => logged.push({ fields, message }) };
  ask = createAiModeration({ apiKey, baseUrl: server.url, model: 'gpt-4o-mini' }, log as never, DEADLINE_MS);
});

test('a clean text has no objections; title, description and tags are asked about at once', async () => {
  server.reply(judgement());
  expect(await ask(text)).toEqual([]);
  expect(server.requests).toEqual([
    {
      path: '/v1/moderations',
      authorization: `Bearer ${apiKey}`,
      body: {
        model: 'omni-moderation-latest',
        input: 'A kestrel of a boat\nShe flies over the waves.\nbluewater',
      },
    },
  ]);
  expect(logged).toEqual([]);
});

test('a flagged text has the flagged categories as objections', async () => {
  server.reply(judgement('harassment', 'illicit/violent'));
  expect(await ask(text)).toEqual(['harassment', 'illicit/violent']);
  server.reply((response) => {
    response
      .setHeader('Content-Type', 'application/json')
      .end('{"results":[{"flagged":true,"categories":{"x":null}}]}');
  });
  expect(await ask(text)).toEqual(['unspecified']);
});

describe('undefined within the deadline, one try, one line in the log without text or key, when the provider', () => {
  test.each<[string, Parameters<ModerationServer['reply']>[0]]>([
    ['answers 500', providerError(500, `cannot judge: ${text.title}`)],
    ['answers 429', providerError(429, 'slow down', { 'Retry-After': '30' })],
    ['refuses the key', providerError(401, `Incorrect API key provided: ${apiKey}`)],
    ['says nothing', () => undefined],
    [
      'stops in the middle',
      (response) => void response.writeHead(200, { 'Content-Type': 'application/json' }).write('{'),
    ],
    [
      'drips',
      (response) => {
        response.writeHead(200, { 'Content-Type': 'application/json' });
        const drip = setInterval(() => response.write(' '), 50);
        response.on('close', () => clearInterval(drip));
      },
    ],
    ['answers a page', (response) => void response.setHeader('Content-Type', 'text/html').end('<html>Welcome</html>')],
    [
      'answers cut JSON',
      (response) => void response.setHeader('Content-Type', 'application/json').end('{"results":[{"flagged":tr'),
    ],
    [
      'answers other JSON',
      (response) => void response.setHeader('Content-Type', 'application/json').end('{"ok":true}'),
    ],
    ['answers nothing', (response) => void response.setHeader('Content-Type', 'application/json').end()],
    ['hangs up', (response) => void response.destroy()],
  ])('%s', async (_what, reply) => {
    server.reply(reply);
    expect(await ask(text)).toBeUndefined();
    expect(server.requests).toHaveLength(1);
    expect(logged).toEqual([
      { fields: { failure: expect.any(String), duration_ms: expect.any(Number) }, message: expect.any(String) },
    ]);
    for (const secret of [apiKey, 'kestrel']) expect(JSON.stringify(logged)).not.toContain(secret);
  });

  test('is not there', async () => {
    const gone = await startModerationServer();
    await gone.close();
    const log = { warn: (fields: object, message: string) => logged.push({ fields, message }) };
    const askNobody = createAiModeration({ apiKey, baseUrl: gone.url, model: 'x' }, log as never, DEADLINE_MS);
    expect(await askNobody(text)).toBeUndefined();
    expect(logged).toHaveLength(1);
  });
});
