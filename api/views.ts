import { createHash } from 'node:crypto';
import type { Pool } from 'pg';
import { HOUR_MS, type Clock } from '../shared/clock.ts';
import type { Logger } from '../shared/log.ts';

const FLUSH_EVERY_MS = 1_000;
const MAX_WAITING = 20_000;
const LONGEST_AGENT = 300;
const MOST_VISITORS = 5_000;
/** A visit that is forgotten here is still known to the database. */
const MOST_REMEMBERED = 50_000;

/**
 * Counts reads of listings in batches, never in the request's own path: one visitor counts once an hour per listing.
 * A visitor is a hash of network and user agent under a secret: no address is stored.
 */
export function createViewCounter(pool: Pool, clock: Clock, log: Logger, secret: string) {
  const salt = createHash('sha256').update('visitors').update(secret).digest();
  const visitors = new Map<string, string>();
  const noted = new Set<string>();
  let waiting = new Map<string, { listingId: string; visitor: string; hour: Date }>();
  let flushing = Promise.resolve();

  async function flushWaiting(): Promise<void> {
    if (waiting.size === 0) return;
    const batch = [...waiting.values()];
    const visits = waiting.keys();
    waiting = new Map();
    try {
      await pool.query({
        name: 'count-views',
        text: `with fresh as (
                 insert into listing_visits (listing_id, visitor, hour)
                 select listing_id, decode(visitor, 'base64'), hour
                 from unnest($1::text[], $2::text[], $3::timestamptz[]) as t (listing_id, visitor, hour)
                 order by listing_id, visitor on conflict do nothing returning listing_id)
               insert into listing_views as v (listing_id, views)
               select l.id, count(*) from fresh f join listings l on l.id = f.listing_id group by l.id order by l.id
               on conflict (listing_id) do update set views = v.views + excluded.views`,
        values: [batch.map((b) => b.listingId), batch.map((b) => b.visitor), batch.map((b) => b.hour)],
      });
    } catch (error) {
      for (const visit of visits) noted.delete(visit);
      log.warn({ err: error, views: batch.length }, 'views could not be counted');
    }
  }

  /** The hash is what a visitor costs: those of late are remembered. */
  function visitorOf(network: string, userAgent: string): string {
    const name = `${network} ${userAgent}`;
    let visitor = visitors.get(name);
    if (visitor === undefined) {
      visitor = createHash('sha256')
        .update(salt)
        .update(network)
        .update(userAgent)
        .digest()
        .subarray(0, 16)
        .toString('base64');
      if (visitors.size >= MOST_VISITORS) visitors.clear();
      visitors.set(name, visitor);
    }
    return visitor;
  }

  function flush(): Promise<void> {
    flushing = flushing.then(flushWaiting);
    return flushing;
  }

  const timer = setInterval(() => void flush(), FLUSH_EVERY_MS);
  timer.unref();

  return {
    /** Notes one read of a listing by a visitor who is not its owner. */
    note(listingId: string, network: string, userAgent = ''): void {
      if (waiting.size >= MAX_WAITING) return;
      const visitor = visitorOf(network, userAgent.slice(0, LONGEST_AGENT));
      const now = clock.now().getTime();
      const start = now - (now % HOUR_MS);
      const visit = `${listingId} ${visitor} ${start}`;
      if (noted.has(visit)) return;
      if (noted.size >= MOST_REMEMBERED) noted.clear();
      noted.add(visit);
      waiting.set(visit, { listingId, visitor, hour: new Date(start) });
    },
    /** Writes what is waiting now. */
    flush,
    async stop(): Promise<void> {
      clearInterval(timer);
      await flush();
    },
  };
}

export type ViewCounter = ReturnType<typeof createViewCounter>;
