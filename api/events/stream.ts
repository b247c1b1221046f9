import { journalEnd } from '../../shared/journal/events.ts';
import type { FeedEvent } from '../../shared/journal/feed.ts';
import { HOUR_MS, SECOND_MS } from '../../shared/kit/clock.ts';
import { isAdministrator, type Caller } from '../http/authenticate.ts';
import type { AuthenticatedHandler } from '../handler.ts';
import type { Services } from '../services.ts';
import type { EventFilter, Subscription } from './subscriptions.ts';

const HEARTBEAT_MS = 15 * SECOND_MS;
const MAX_LIFE_MS = HOUR_MS;
const PAGE = 500;
/** How long a client waits before it comes back. */
const RETRY_MS = 2_000;

/**
 * Server-sent events (WHATWG HTML) of the feed from a bookmark on, without one from now on: whoever comes back with the id of the
 * last event gets every later one once, also from another process. A stream ends after an hour, with the process, and with the
 * credential.
 */
export const streamEvents: AuthenticatedHandler<'streamEvents'> = async (services, { query, headers, caller }) => {
  const { type, subject } = query;
  const lastEventId = headers['Last-Event-ID'];
  const bookmark = lastEventId === undefined ? query.after : Number(lastEventId);
  const after = bookmark ?? (await journalEnd(services.pool)).seq;
  const filter = { ownerId: isAdministrator(caller) ? undefined : caller.userId, type, subject };
  const subscription = services.subscriptions.subscribe(filter);
  return {
    status: 200,
    body: {
      type: 'text/event-stream',
      chunks: () => writeEvents(services, { filter, after, caller }, subscription),
      close: () => subscription.close(),
    },
    // Compression, and proxies that buffer, would hold events back.
    headers: { 'Cache-Control': 'no-store, no-transform', 'X-Accel-Buffering': 'no' },
  };
};

type Stream = { filter: EventFilter; after: number; caller: Caller };

async function* writeEvents(
  { subscriptions }: Pick<Services, 'subscriptions'>,
  { filter, after, caller }: Stream,
  subscription: Subscription,
): AsyncGenerator<string> {
  const endsAt = performance.now() + MAX_LIFE_MS;
  let place = after;
  // An id without data: who is cut off before the first event comes back to here, not to what is then the end.
  yield `retry: ${RETRY_MS}\nid: ${place}\n\n`;
  let writtenAt = performance.now();
  while (performance.now() < endsAt) {
    await subscription.wait(HEARTBEAT_MS);
    if (subscription.isClosed || !(await subscriptions.isLive(caller))) return;
    for (let isEnd = false; !isEnd && !subscription.isClosed;) {
      const { events, nextAfter } = await subscriptions.read(filter, place, PAGE);
      isEnd = nextAfter === place;
      place = nextAfter;
      if (events.length === 0) continue;
      yield events.map(toMessage).join('');
      writtenAt = performance.now();
    }
    // What woke this stream may be nothing that it tells.
    if (performance.now() - writtenAt < HEARTBEAT_MS) continue;
    yield ': still here\n\n';
    writtenAt = performance.now();
  }
}

const toMessage = (event: FeedEvent): string =>
  `id: ${event.seq}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
