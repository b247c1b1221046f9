import { urlOf } from './api.js';
import { lapseSession, session } from './session.js';
import { createStore } from './store.js';

const firstWaitMs = 1_000;
const longestWaitMs = 30_000;
/** The server says something every 15 seconds; after so long without a word the connection is dead. */
const silentMs = 40_000;

/**
 * Whether the console hears of changes as they happen.
 * @type {ReturnType<typeof createStore<'connecting' | 'live' | 'offline'>>}
 */
export const connection = createStore('connecting');

/** @type {Set<(type: string) => void>} */
const followers = new Set();

/**
 * Calls `told` for every event of the marketplace from now on; the answer ends it.
 * @param {(type: string) => void} told
 */
export function followEvents(told) {
  followers.add(told);
  return () => void followers.delete(told);
}

/**
 * Server-sent events (GET /api/events/stream) while somebody is logged in: comes back with the id of the last event, at growing
 * distances with jitter, so that no event is missed over a reconnection. The answer ends it.
 */
export function openStream() {
  const stopped = new AbortController();
  let bookmark = '';
  let failures = 0;
  let wake = () => {};
  let cut = () => {};

  async function listen() {
    const silence = new AbortController();
    cut = () => silence.abort();
    let timer = setTimeout(cut, silentMs);
    try {
      const response = await fetch(urlOf('/api/events/stream'), {
        credentials: 'omit',
        cache: 'no-store',
        headers: {
          Accept: 'text/event-stream',
          Authorization: `Bearer ${session.read()?.token}`,
          ...(bookmark && { 'Last-Event-ID': bookmark }),
        },
        signal: AbortSignal.any([stopped.signal, silence.signal]),
      });
      if (response.status === 401) lapseSession();
      // A bookmark that is refused is of another database: from now on, then.
      if (response.status === 400) bookmark = '';
      if (!response.ok || !response.body) throw new Error(`The stream of events was answered ${response.status}.`);
      failures = 0;
      connection.write('live');
      for await (const { id, type } of readMessages(response.body)) {
        clearTimeout(timer);
        timer = setTimeout(cut, silentMs);
        bookmark = id ?? bookmark;
        if (type) for (const told of followers) told(type);
      }
    } finally {
      clearTimeout(timer);
    }
  }

  async function keepListening() {
    while (!stopped.signal.aborted) {
      if (session.read()?.token) {
        await listen().catch(() => {
          failures += 1;
        });
      }
      if (stopped.signal.aborted) return;
      if (failures > 0) connection.write('offline');
      const waitMs = Math.min(firstWaitMs * 2 ** failures, longestWaitMs) * (0.5 + Math.random() / 2);
      await new Promise((resolve) => {
        wake = resolve;
        setTimeout(resolve, waitMs);
      });
    }
  }

  const again = () => wake();
  const end = () => cut();
  addEventListener('online', again);
  addEventListener('offline', end);
  void keepListening();
  return () => {
    stopped.abort();
    removeEventListener('online', again);
    removeEventListener('offline', end);
    connection.write('connecting');
  };
}

/**
 * The messages of an event stream, comments and bare bookmarks among them, without their data.
 * @param {ReadableStream<Uint8Array>} body
 */
async function* readMessages(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const messages = (text + part.value).split('\n\n');
    text = messages.pop() ?? '';
    for (const message of messages)
      yield { id: /^id: ?(.+)$/m.exec(message)?.[1], type: /^event: ?(.+)$/m.exec(message)?.[1] };
  }
}
