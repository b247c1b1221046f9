import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, expectTypeOf, test } from 'vitest';
import type { NewEvent } from '../../../shared/journal/events.ts';
import { createClient, followEvents, type FollowSettings, type QuaysideEvent } from '../../../api/sdk/src/index.ts';
import { startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { eventOf, writeEvents, writeFinalEvents } from '../../support/journal-events.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

type Fetch = (request: Request) => Promise<Response>;
const clientOf = (token: string, fetch: Fetch = globalThis.fetch) =>
  createClient({ baseUrl: app.url, token, fetch, retry: { minDelayMs: 1 } });

const write = (...events: NewEvent[]) => writeEvents(app, ...events);
const eventsOf = (owner: TestUser, count: number) => Array.from({ length: count }, () => eventOf(owner));

/** The subjects of the first so many events. */
async function take(events: AsyncIterable<QuaysideEvent>, count: number): Promise<string[]> {
  const subjects: string[] = [];
  for await (const { subject } of events) {
    subjects.push(subject);
    if (subjects.length === count) break;
  }
  return subjects;
}
const subjectsOf = (events: NewEvent[]) => events.map(({ subject }) => subject);
const isStream = ({ url }: Request) => url.includes('/api/events/stream');

/** Passes on so many bytes of a stream, then breaks it off. */
function cutAfter(response: Response, bytes: number): Response {
  let left = bytes;
  const cut = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      controller.enqueue(chunk.subarray(0, left));
      left -= chunk.length;
      if (left <= 0) controller.error(new TypeError('terminated'));
    },
  });
  return new Response(response.body?.pipeThrough(cut), response);
}
/** A server that says how soon to come back. */
const hasten = (response: Response): Response => {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  const faster = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) =>
      controller.enqueue(encoder.encode(decoder.decode(chunk, { stream: true }).replace('retry: 2000', 'retry: 1'))),
  });
  return new Response(response.body?.pipeThrough(faster), response);
};

test('an abort ends a stream that has been open for long, whatever has been collected meanwhile', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const person = await app.createUser();
  const [event] = eventsOf(person, 1);
  const ending = new AbortController();
  const events = followEvents(createClient({ baseUrl: app.url, token: person.token }), {
    after: 0,
    signal: ending.signal,
  });
  await writeEvents(app, event!);
  expect((await events.next()).value?.subject).toBe(event!.subject);
  for (let turn = 0; turn < 3; turn += 1) {
    await setImmediate();
    collect();
  }
  const next = events.next();
  ending.abort();
  expect(await next).toEqual({ done: true, value: undefined });
});

test('none is lost and none comes twice, at whatever byte the connections break', async () => {
  const person = await app.createUser();
  const written = eventsOf(person, 40);
  let connections = 0;
  const fragile: Fetch = async (request) => {
    connections += 1;
    return cutAfter(hasten(await fetch(request)), 150 + ((connections * 173) % 700));
  };
  const reading = take(followEvents(clientOf(person.token, fragile), { after: 0 }), written.length);
  for (const each of written) await write(each);
  expect(await reading).toEqual(subjectsOf(written));
  expect(connections).toBeGreaterThan(3);
});

test('who begins with now, and is cut off before the first event, gets what happened meanwhile', async () => {
  const person = await app.createUser();
  await writeFinalEvents(app, person, 1);
  const missed = eventOf(person);
  let connections = 0;
  const fragile: Fetch = async (request) => {
    connections += 1;
    if (connections > 1) return fetch(request);
    const response = await fetch(request);
    const reader = response.body!.getReader();
    const { value } = await reader.read();
    await reader.cancel();
    await write(missed);
    return hasten(new Response(new Blob([value!]).stream(), response));
  };
  expect(await take(followEvents(clientOf(person.token, fragile)), 1)).toEqual([missed.subject]);
});

test('the filters hold, and the event is typed by its type', async () => {
  const person = await app.createUser();
  const sold = eventOf(person, { type: 'listing.sold' });
  await write(eventOf(person), sold, eventOf(person));
  for await (const each of followEvents(clientOf(person.token), { after: 0, type: 'listing.sold' })) {
    expectTypeOf(each.type).toEqualTypeOf<'listing.sold'>();
    expectTypeOf(each.data.title).toEqualTypeOf<string>();
    expect([each.subject, each.data.title]).toEqual([sold.subject, sold.data.title]);
    break;
  }
  const about = followEvents(clientOf(person.token), { after: 0, subject: sold.subject });
  expect(await take(about, 1)).toEqual([sold.subject]);
});

const streamless: [string, (request: Request) => Promise<Response>][] = [
  ['answers 404', () => Promise.resolve(new Response('no', { status: 404 }))],
  ['answers a page', () => Promise.resolve(new Response('<p>hello</p>', { headers: { 'content-type': 'text/html' } }))],
  [
    'says nothing',
    (request) =>
      new Promise((_, reject) => request.signal.addEventListener('abort', () => reject(new Error('aborted')))),
  ],
];
test.each(streamless)('where the stream %s it reads the feed, without a gap', async (_, answer) => {
  const person = await app.createUser();
  const written = eventsOf(person, 5);
  await write(...written.slice(0, 2));
  const client = clientOf(person.token, (request) => (isStream(request) ? answer(request) : fetch(request)));
  const settings: FollowSettings = { after: 0, pollMs: 5, maxSilenceMs: 50 };
  const reading = take(followEvents(client, settings), written.length);
  for (const each of written.slice(2)) await write(each);
  expect(await reading).toEqual(subjectsOf(written));
});

test('polling begins with now as well, and outlives a service that is away for a while', async () => {
  const person = await app.createUser();
  await writeFinalEvents(app, person, 3);
  const later = eventOf(person);
  let pages = 0;
  const flaky: Fetch = async (request) => {
    pages += 1;
    if (pages === 4) await write(later);
    if (pages >= 5 && pages < 12) throw new TypeError('fetch failed');
    return fetch(request);
  };
  const client = clientOf(person.token, flaky);
  expect(await take(followEvents(client, { transport: 'poll', pollMs: 1 }), 1)).toEqual([later.subject]);
});

test('a refusal is thrown, and so is a service that was never there', async () => {
  await expect(take(followEvents(clientOf('no credential')), 1)).rejects.toMatchObject({ code: 'unauthorized' });
  const person = await app.createUser();
  const wrong = followEvents(clientOf(person.token), { after: -1 });
  await expect(take(wrong, 1)).rejects.toMatchObject({ code: 'validation_error' });
  const nowhere = clientOf(person.token, () => Promise.reject(new TypeError('fetch failed')));
  await expect(take(followEvents(nowhere), 1)).rejects.toThrow('fetch failed');
});

test.each(['stream', 'poll'] as const)('the signal ends it quietly (%s)', async (transport) => {
  const person = await app.createUser();
  await write(eventOf(person));
  const controller = new AbortController();
  const { signal } = controller;
  const seen: string[] = [];
  for await (const { subject } of followEvents(clientOf(person.token), { after: 0, transport, signal })) {
    seen.push(subject);
    controller.abort();
  }
  expect(seen).toHaveLength(1);
});
