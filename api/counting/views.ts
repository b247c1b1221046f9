import { createHash } from 'node:crypto';
import type { Pool } from 'pg';
import { HOUR_MS, type Clock } from '../../shared/kit/clock.ts';
import type { Logger } from '../../shared/kit/log.ts';
import { isCrawler } from './crawlers.ts';
import { writeInBatches } from './batches.ts';

const MAX_WAITING = 20_000;
const MAX_AGENT_LENGTH = 300;
const MAX_VISITORS = 5_000;
/** A visit that is forgotten here is still known to the database. */
const MAX_REMEMBERED = 50_000;

/** Who reads: an account, or somebody known by network and user agent alone. */
type Reader = { userId: string } | { network: string; userAgent?: string };

type Visit = { listingId: string; visitor: string; hour: Date };

/**
 * Counts reads of listings in batches, never in the request's own path: one visitor counts once an hour per listing, crawlers
 * do not count. A visitor is a hash of the account, or of network and user agent, under a secret: no address is stored.
 */
export function createViewCounter(pool: Pool, clock: Clock, log: Logger, secret: string) {
  const salt = createHash('sha256').update('visitors').update(secret).digest();
  const visitors = new Map<string, string | undefined>();
  const noted = new Set<string>();
  let waiting = new Map<string, Visit>();

  async function flushWaiting(): Promise<boolean> {
    if (waiting.size === 0) return true;
    const batch = waiting;
    waiting = new Map();
    try {
      await countVisits(pool, [...batch.values()]);
      return true;
    } catch (error) {
      for (const [visit, entry] of batch) if (waiting.size < MAX_WAITING) waiting.set(visit, entry);
      log.warn({ err: error, views: batch.size }, 'views could not be counted yet');
      return false;
    }
  }

  /** The hash is what a visitor costs: those of late are remembered. Undefined for a crawler. */
  function visitorOf(reader: Reader): string | undefined {
    const agent = 'userId' in reader ? '' : (reader.userAgent ?? '').slice(0, MAX_AGENT_LENGTH);
    const name = 'userId' in reader ? `account ${reader.userId}` : `${reader.network} ${agent}`;
    if (!visitors.has(name)) {
      const hash = () => createHash('sha256').update(salt).update(name).digest().subarray(0, 16).toString('base64');
      if (visitors.size >= MAX_VISITORS) visitors.clear();
      visitors.set(name, isCrawler(agent) ? undefined : hash());
    }
    return visitors.get(name);
  }

  return {
    /** Records one read of a listing by somebody who is not its owner. */
    record(listingId: string, reader: Reader): void {
      const visitor = visitorOf(reader);
      if (visitor === undefined || waiting.size >= MAX_WAITING) return;
      const now = clock.now().getTime();
      const start = now - (now % HOUR_MS);
      const visit = `${listingId} ${visitor} ${start}`;
      if (noted.has(visit)) return;
      if (noted.size >= MAX_REMEMBERED) noted.clear();
      noted.add(visit);
      waiting.set(visit, { listingId, visitor, hour: new Date(start) });
    },
    ...writeInBatches(flushWaiting),
  };
}

/**
 * Each visit counts unless it is known already, from this process or another. The listings are locked as their foreign keys
 * would be, so that one that is being deleted is waited for and left out.
 */
async function countVisits(pool: Pool, visits: Visit[]): Promise<void> {
  await pool.query({
    name: 'count-views',
    text: `with present as materialized (
             select id from listings where id = any($1::text[]) order by id for key share
           ), fresh as (
             insert into listing_visits (listing_id, visitor, hour)
             select listing_id, decode(visitor, 'base64'), hour
             from unnest($1::text[], $2::text[], $3::timestamptz[]) as t (listing_id, visitor, hour)
             where listing_id in (select id from present)
             order by listing_id, visitor on conflict do nothing returning listing_id)
           insert into listing_views as v (listing_id, views)
           select listing_id, count(*) from fresh group by listing_id order by listing_id
           on conflict (listing_id) do update set views = v.views + excluded.views`,
    values: [visits.map((v) => v.listingId), visits.map((v) => v.visitor), visits.map((v) => v.hour)],
  });
}

export type ViewCounter = ReturnType<typeof createViewCounter>;
