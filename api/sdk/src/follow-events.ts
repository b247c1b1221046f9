import { ApiError } from './api-error.ts';
import { unwrap, type QuaysideClient } from './client.ts';
import type { components, QuaysideEvent, QuaysideEventType } from './contract.ts';
import { pause } from './retry.ts';
import { readServerSentEvents } from './server-sent-events.ts';

export type FollowSettings<Type extends QuaysideEventType = QuaysideEventType> = {
  /** The `seq` of the last event that is known; without one it begins with what happens from now on, 0 is the oldest. */
  after?: number | undefined;
  type?: Type | undefined;
  subject?: string | undefined;
  signal?: AbortSignal | undefined;
  /** How often the feed is read where streams do not get through, or always (`transport: 'poll'`). */
  pollMs?: number;
  transport?: 'stream' | 'poll';
  /** Longest silence of a stream; the service says something every 15 seconds. */
  maxSilenceMs?: number;
};

type EventPage = components['schemas']['EventPage'];
type EventOf<Type extends QuaysideEventType> = Extract<QuaysideEvent, { type: Type }>;
type Following = FollowSettings & {
  place: number | undefined;
  retryMs: number;
  pollMs: number;
  maxSilenceMs: number;
  /** Whether the service has answered at all: until then a lost connection is the caller's to know. */
  isKnown: boolean;
  /** Whether a stream has got through. */
  hasStreamed: boolean;
};
type Ending = 'reconnect' | 'poll';

const MAX_RETRY_MS = 60_000;
const PAGE = 1_000;
/** Statuses of servers and proxies that have no streams. */
const streamlessStatuses = new Set([404, 405, 406, 501]);

/**
 * Server-sent events with `Last-Event-ID`, or the feed read again and again: every event from the bookmark on, once, over lost
 * connections and restarts of the service. Ends with the signal or the loop; throws the `ApiError` of a refusal.
 */
export async function* followEvents<Type extends QuaysideEventType = QuaysideEventType>(
  client: QuaysideClient,
  settings: FollowSettings<Type> = {},
): AsyncGenerator<EventOf<Type>, void, undefined> {
  const state: Following = {
    pollMs: 5_000,
    maxSilenceMs: 45_000,
    ...settings,
    place: settings.after,
    retryMs: 2_000,
    isKnown: false,
    hasStreamed: false,
  };
  try {
    if (settings.transport !== 'poll') yield* streamAll(client, state) as AsyncGenerator<EventOf<Type>>;
    yield* pollAll(client, state) as AsyncGenerator<EventOf<Type>>;
  } catch (error) {
    if (!settings.signal?.aborted) throw error;
  }
}

/** One stream after another; returns when streams do not get through. */
async function* streamAll(client: QuaysideClient, state: Following): AsyncGenerator<QuaysideEvent, void, undefined> {
  for (let failures = 0; ; failures += 1) {
    const before = state.place;
    const ending: Ending = yield* streamOnce(client, state);
    if (ending === 'poll') return;
    if (state.place !== before) failures = 0;
    await pause(Math.min(MAX_RETRY_MS, state.retryMs * 2 ** Math.min(failures, 5)), state.signal);
  }
}

async function* streamOnce(client: QuaysideClient, state: Following): AsyncGenerator<QuaysideEvent, Ending, undefined> {
  const silence = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const onActivity = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(new Error('The stream is silent.')), state.maxSilenceMs);
  };
  onActivity();
  const { signal } = linkSignals(silence, state.signal);
  try {
    const { type, subject, place } = state;
    const { data, error, response } = await client.GET('/api/events/stream', {
      params: { query: { type, subject }, ...(place !== undefined && { header: { 'Last-Event-ID': place } }) },
      parseAs: 'stream',
      signal,
    });
    if (error) {
      if (streamlessStatuses.has(error.status)) return 'poll';
      if (!isPassing(error)) throw error;
      return 'reconnect';
    }
    state.isKnown = true;
    if (!data || !response.headers.get('content-type')?.startsWith('text/event-stream')) return 'poll';
    for await (const { id, data: text, retryMs } of readServerSentEvents(data, onActivity)) {
      state.hasStreamed = true;
      if (retryMs !== undefined) state.retryMs = retryMs;
      if (id !== undefined) state.place = Number(id);
      if (text !== undefined) yield JSON.parse(text) as QuaysideEvent;
    }
    return 'reconnect';
  } catch (error) {
    // A proxy that holds streams back until they end lets the feed through.
    if (silence.signal.aborted && !state.hasStreamed && !state.signal?.aborted) return 'poll';
    if (error instanceof ApiError || !state.isKnown || state.signal?.aborted) throw error;
    return 'reconnect';
  } finally {
    clearTimeout(timer);
    silence.abort();
  }
}

/** Aborts the first with the second; AbortSignal.any is not in every Node 20. */
function linkSignals(controller: AbortController, outer: AbortSignal | undefined): AbortController {
  if (outer?.aborted) controller.abort(outer.reason);
  outer?.addEventListener('abort', () => controller.abort(outer.reason), { once: true, signal: controller.signal });
  return controller;
}

/** The feed from the bookmark on; without one its end is looked for first. */
async function* pollAll(client: QuaysideClient, state: Following): AsyncGenerator<QuaysideEvent, void, undefined> {
  let isCatchingUp = state.place === undefined;
  for (;;) {
    const after = state.place ?? 0;
    const { results, next_after } = await readPage(client, state, after);
    if (!isCatchingUp) {
      for (const event of results) {
        state.place = event.seq;
        yield event;
      }
    }
    state.place = next_after;
    if (next_after === after) {
      isCatchingUp = false;
      await pause(state.pollMs, state.signal);
    }
  }
}

/** The next page of the feed; where the service cannot be reached for a while, the empty page. */
async function readPage(client: QuaysideClient, state: Following, after: number): Promise<EventPage> {
  const { type, subject, signal } = state;
  try {
    const page = await unwrap(
      client.GET('/api/events', { params: { query: { type, subject, after, limit: PAGE } }, signal }),
    );
    state.isKnown = true;
    return page;
  } catch (error) {
    if (!state.isKnown || signal?.aborted || (error instanceof ApiError && !isPassing(error))) throw error;
    return { results: [], next_after: after };
  }
}

/** Whether the service may answer otherwise a little later. */
const isPassing = ({ status }: ApiError): boolean => status >= 500 || status === 429;
