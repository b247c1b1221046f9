import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { AiError } from '../../../shared/adapters/ai-error.ts';
import { createAi, type Ai, type AiTask } from '../../../shared/adapters/ai.ts';
import { deadlinesOf } from '../../../shared/kit/deadlines.ts';
import { startOpenAiServer, type AiMood, type OpenAiServer } from '../../support/openai-server.ts';

const API_KEY = 'sk-canary-of-the-tests';
const schema = z.strictObject({ colour: z.string().max(10) });
const good: AiMood = { json: { colour: 'blue' } };

let server: OpenAiServer;
let ai: Ai;
beforeAll(async () => {
  server = await startOpenAiServer();
  ai = createAi({ apiKey: API_KEY, baseUrl: server.url, model: 'a-model' }, deadlinesOf(20));
});
afterAll(() => server.close());

const ask = (more: Partial<AiTask<{ colour: string }>> = {}, by = ai) =>
  by.ask({
    name: 'colour',
    instructions: 'Name the colour.',
    material: 'The sea.',
    schema,
    deadline: 'aiDraft',
    ...more,
  });

const failureOf = async (asked: Promise<unknown>) => {
  const error = await asked.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof AiError)) throw new Error(`no AiError but ${String(error)}`);
  expect(error.message).not.toContain(API_KEY);
  return error;
};

test('a good answer is what the schema says, and pictures go as data', async () => {
  server.feel(good);
  expect(await ask({ images: [Buffer.from('jpeg')] })).toEqual({ colour: 'blue' });
  const [request] = server.requests;
  expect(request?.authorization).toBe(`Bearer ${API_KEY}`);
  expect(request?.body.model).toBe('a-model');
  expect(request?.body.response_format).toMatchObject({ type: 'json_schema', json_schema: { name: 'colour' } });
  const content = request?.body.messages[1]?.content;
  expect(content).toEqual([
    { type: 'text', text: 'The sea.' },
    { type: 'image_url', image_url: { url: 'data:image/jpeg;base64,anBlZw==', detail: 'auto' } },
  ]);
});

test('JSON between fences is read', async () => {
  server.feel({ text: '```json\n{"colour":"red"}\n```' });
  expect(await ask()).toEqual({ colour: 'red' });
});

describe('an answer that cannot be used', () => {
  const bad: [string, AiMood, string][] = [
    ['prose', { text: 'It is blue.' }, 'The answer is no JSON.'],
    ['another shape', { json: { shade: 'blue' } }, 'colour'],
    ['a value beyond the schema', { json: { colour: 'a very long colour' } }, 'colour'],
    ['a cut answer', { text: '{"colour":"bl', finish_reason: 'length' }, 'cut off'],
  ];
  test.each(bad)('%s is repaired once, with the reason', async (_name, mood, reason) => {
    server.feel(mood, good);
    expect(await ask()).toEqual({ colour: 'blue' });
    expect(server.requests).toHaveLength(2);
    expect(JSON.stringify(server.requests[1]?.body.messages.at(-1))).toContain(reason);
  });

  test.each(bad)('%s twice is an error that no retry helps', async (_name, mood, reason) => {
    server.feel(mood);
    const error = await failureOf(ask());
    expect(error).toMatchObject({ failure: 'unusable', retryable: false });
    expect(error.reasons.join()).toContain(reason);
    expect(server.requests).toHaveLength(2);
  });

  test('faults that only the caller finds are repaired too', async () => {
    server.feel({ json: { colour: 'green' } }, good);
    const findFaults = ({ colour }: { colour: string }) => (colour === 'green' ? ['Not green.'] : []);
    expect(await ask({ findFaults })).toEqual({ colour: 'blue' });
    server.feel({ json: { colour: 'green' } });
    expect((await failureOf(ask({ findFaults }))).reasons).toEqual(['Not green.']);
  });

  test('a refusal is final', async () => {
    server.feel({ refusal: 'I cannot.' });
    expect(await failureOf(ask())).toMatchObject({ failure: 'unusable' });
    expect(server.requests).toHaveLength(1);
  });
});

describe('a provider in trouble', () => {
  const faults: [string, AiMood][] = [
    ['429', { status: 429, message: `limit of ${API_KEY}` }],
    ['500', { status: 500 }],
    ['503', { status: 503 }],
    ['cut JSON', 'cut JSON'],
    ['HTML with status 200', 'HTML'],
    ['a huge answer', 'huge'],
    ['a lost connection', 'disconnects'],
  ];
  test.each(faults)('%s is tried once more', async (_name, mood) => {
    server.feel(mood, good);
    expect(await ask()).toEqual({ colour: 'blue' });
  });

  test.each(faults)('%s that stays is unavailable after two requests', async (_name, mood) => {
    server.feel(mood);
    expect(await failureOf(ask())).toMatchObject({ failure: 'unavailable', retryable: true });
    expect(server.requests).toHaveLength(2);
  });

  test('a long Retry-After is not waited for', async () => {
    server.feel({ status: 429, headers: { 'Retry-After': '30' } });
    expect(await failureOf(ask())).toMatchObject({ failure: 'unavailable' });
    // It would have been asked again.
    expect(server.requests).toHaveLength(1);
  });

  test.each(['hangs', 'hangs midway'] as const)('one that %s ends at the deadline', async (mood) => {
    server.feel(mood);
    const hasty = createAi({ apiKey: API_KEY, baseUrl: server.url, model: 'a-model' }, deadlinesOf(0.02));
    expect(await failureOf(ask({}, hasty))).toMatchObject({
      failure: 'unavailable',
      message: 'No answer within 300 ms.',
    });
  });

  test("the caller's abort is thrown as it is", async () => {
    server.feel('hangs');
    const stop = new AbortController();
    const asked = ask({ signal: stop.signal });
    stop.abort(new Error('enough'));
    await expect(asked).rejects.toThrow('enough');
  });

  test.each([401, 403, 404])('%s is refused, and not tried again', async (status) => {
    server.feel({ status, message: `Incorrect API key provided: ${API_KEY}` });
    expect(await failureOf(ask())).toMatchObject({ failure: 'refused', retryable: false });
    expect(server.requests).toHaveLength(1);
  });

  test('a server that knows no JSON schemas is asked for plain JSON', async () => {
    const plain = createAi({ apiKey: API_KEY, baseUrl: server.url, model: 'a-model' });
    server.feel(({ body }) => (body.response_format.type === 'json_object' ? good : { status: 400 }));
    const task = { name: 'colour', instructions: '', material: '', schema, deadline: 'aiDraft' as const };
    expect(await plain.ask(task)).toEqual({ colour: 'blue' });
    expect(await plain.ask(task)).toEqual({ colour: 'blue' });
    expect(server.requests.map(({ body }) => body.response_format.type)).toEqual([
      'json_schema',
      'json_object',
      'json_object',
    ]);
  });
});

test('health is whether the provider accepts the key', async () => {
  server.feel(good);
  expect(await ai.isHealthy()).toBe(true);
  server.feel({ status: 404 });
  expect(await ai.isHealthy()).toBe(true);
  server.feel({ status: 401 });
  expect(await ai.isHealthy()).toBe(false);
  const gone = createAi({ apiKey: API_KEY, baseUrl: 'http://127.0.0.1:9/v1', model: 'a-model' });
  expect(await gone.isHealthy()).toBe(false);
});
