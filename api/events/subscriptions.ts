import type { Pool } from 'pg';
import { isLiveCredential } from '../../shared/accounts/live-credential.ts';
import type { JournalEvent } from '../../shared/journal/events.ts';
import type { PublicEvent } from '../../shared/journal/public-events.ts';
import type { Caller } from '../http/authenticate.ts';
import { readFeed } from '../../shared/journal/feed.ts';
import type { Clock } from '../../shared/kit/clock.ts';
import { unavailable } from '../../shared/kit/errors.ts';

/** What a stream of events is about; undefined leaves it open. */
export type EventFilter = { ownerId: string | undefined; type?: PublicEvent | undefined; subject?: string | undefined };

/** A stream's place in the journal may be read again: `wait` resolves as soon as something matched since the last call of it. */
export type Subscription = {
  /** True when there may be something to read; false after `timeoutMs` without. */
  wait(timeoutMs: number): Promise<boolean>;
  close(): void;
  readonly isClosed: boolean;
};

type Feed = Awaited<ReturnType<typeof readFeed>>;

const MAX_STREAMS = 5_000;
const everything = Symbol('everybody');

/**
 * Publish-subscribe within a process: wakes the streams whose filter an event of the journal passes. It hands out no events: a
 * woken stream reads the feed from its own place, so that a wake too many or a late one costs no event and doubles none.
 */
export function createSubscriptions({ pool, clock }: { pool: Pool; clock: Clock }) {
  const byOwner = new Map<string | symbol, Set<ReturnType<typeof createSubscription>>>();
  let count = 0;
  let isStopped = false;
  let notified = 0;
  const reading = new Map<string, Promise<unknown>>();

  /** One statement for all who ask the same since the last event; what was begun before it may not have seen it. */
  async function share<T>(asked: readonly unknown[], read: () => Promise<T>): Promise<T> {
    const key = JSON.stringify([notified, ...asked]);
    const shared = reading.get(key) ?? read().finally(() => reading.delete(key));
    reading.set(key, shared);
    return shared as Promise<T>;
  }

  return {
    /** A subscription that something may have happened for already; 503 beyond 5,000 of them, and while the process stops. */
    subscribe(filter: EventFilter): Subscription {
      if (isStopped || count >= MAX_STREAMS)
        throw unavailable('There are too many streams here: try again.', undefined, 5);
      const owner = filter.ownerId ?? everything;
      const subscription = createSubscription(filter, () => {
        count -= 1;
        const others = byOwner.get(owner);
        others?.delete(subscription);
        if (others?.size === 0) byOwner.delete(owner);
      });
      const all = byOwner.get(owner) ?? new Set();
      byOwner.set(owner, all.add(subscription));
      count += 1;
      return subscription;
    },
    /** The next events after a bookmark, as readFeed has them. */
    read: async (filter: EventFilter, after: number, limit: number): Promise<Feed> =>
      share([filter.ownerId ?? null, filter.type, filter.subject, after, limit], async () =>
        readFeed(pool, { ...filter, after, limit }),
      ),
    isLive: async (caller: Caller): Promise<boolean> =>
      share([caller.bucket, caller.role, caller.sessionEpoch, caller.sessionId], async () =>
        isLiveCredential(pool, caller, clock.now()),
      ),
    /** How many streams are open. */
    count: () => count,
    notify(events: readonly JournalEvent[]): void {
      notified += 1;
      for (const event of events) {
        // Their credential may have ended with it, or be an administrator's no more.
        if (event.type === 'user.changed')
          for (const owner of [event.subject, everything])
            for (const subscription of byOwner.get(owner) ?? []) subscription.wake();
        for (const owner of [event.owner_id, everything])
          for (const subscription of (owner !== null && byOwner.get(owner)) || [])
            if (subscription.passes(event)) subscription.wake();
      }
    },
    /** For when events may have been missed. */
    notifyAll(): void {
      notified += 1;
      for (const all of byOwner.values()) for (const subscription of all) subscription.wake();
    },
    /** Ends every stream: their clients come back to another process, or to the next one. */
    stop(): void {
      isStopped = true;
      for (const all of [...byOwner.values()]) for (const subscription of all) subscription.close();
    },
  };
}

export type Subscriptions = ReturnType<typeof createSubscriptions>;

function createSubscription({ type, subject }: EventFilter, onClose: () => void) {
  let isDue = true;
  let isClosed = false;
  let resume: (() => void) | undefined;
  const wake = () => {
    isDue = true;
    resume?.();
  };
  return {
    passes: (event: JournalEvent) =>
      (type === undefined || event.type === type) && (subject === undefined || event.subject === subject),
    wake,
    async wait(timeoutMs: number): Promise<boolean> {
      if (!isDue && !isClosed) {
        let timer: NodeJS.Timeout | undefined;
        await new Promise<void>((resolve) => {
          resume = resolve;
          timer = setTimeout(resolve, timeoutMs);
        });
        clearTimeout(timer);
        resume = undefined;
      }
      const wasDue = isDue;
      isDue = false;
      return wasDue;
    },
    close(): void {
      if (isClosed) return;
      isClosed = true;
      onClose();
      resume?.();
    },
    get isClosed() {
      return isClosed;
    },
  };
}
