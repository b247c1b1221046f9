import { readFeed } from '../../shared/journal/feed.ts';
import { isAdministrator } from '../http/authenticate.ts';
import type { AuthenticatedHandler } from '../handler.ts';
import type { components } from '../openapi.gen.ts';

/** The journal keeps the data of all types in one column; test/contract/events.test.ts holds what is written there. */
type Event = components['schemas']['Event'];

/** The next events of the caller, for an administrator of everybody; whoever follows `next_after` misses none. */
export const listEvents: AuthenticatedHandler<'listEvents'> = async ({ pool }, { query, caller }) => {
  const { after = 0, limit = 100, type, subject } = query;
  const ownerId = isAdministrator(caller) ? undefined : caller.userId;
  const { events, nextAfter } = await readFeed(pool, { ownerId, type, subject, after, limit });
  return {
    status: 200,
    body: {
      results: events.map((event) => ({ ...event, created_at: event.created_at.toISOString() }) as Event),
      next_after: nextAfter,
    },
  };
};
