import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import { SECOND_MS } from '../kit/clock.ts';
import { unfinishedJobs } from '../queues/inspect.ts';

/** A state this old is read anew. */
const MAX_AGE_MS = SECOND_MS;
/** The replication lag between nodes of a cluster, and how long a pending change is looked out for, at most. */
const SPREAD_MS = 10 * SECOND_MS;
const MAX_WRITERS = 100_000;
/** Pending jobs and refused listings whose owners are looked up; with more of them waiting the index is behind for all. */
const MAX_PENDING = 1_000;

type Read = {
  at: number;
  lagSeconds: number;
  isPending: boolean;
  /** The owners of listings whose change is on its way, or was refused. */
  owners: ReadonlySet<string>;
};

/** How far the index is behind the database, for one reader. */
export type IndexState = {
  lagSeconds: number;
  /** Whether a change may be on its way. */
  isPending: boolean;
  /** Whether it does not know a listing of this reader as it is now. */
  isBehind: boolean;
};

const PENDING = unfinishedJobs('index-listing');

/**
 * Follows the index of one process: the database is asked once a second while searches come, and whoever is heard to change a
 * listing is behind until a later look finds nothing pending, ten seconds at most. In a cluster they are so for that long in any case.
 */
export function createIndexState(pool: Pool, isCluster: boolean, now = () => performance.now()) {
  const writers = new LRUCache<string, number>({ max: MAX_WRITERS });
  let known: Read | undefined;
  let reading: Promise<Read> | undefined;
  let heardAt = -Infinity;
  let gapAt = -Infinity;

  async function read(): Promise<Read> {
    const at = now();
    const { rows } = await pool.query<{ lag_seconds: number | null; is_behind: boolean; owners: string[] }>({
      name: 'index-state',
      text: `with pending as materialized (select data, created_on from ${PENDING} as j order by created_on limit ${MAX_PENDING}),
        changed as (
          select jsonb_array_elements_text(data -> 'listing_ids') as id from pending
          union (select listing_id from search_refusals limit ${MAX_PENDING}))
        select (select extract(epoch from clock_timestamp() - min(created_on))::float8 from pending) as lag_seconds,
          exists (select from search_backlog) as is_behind,
          (select coalesce(array_agg(distinct l.seller_id), '{}') from changed join listings l on l.id = changed.id) as owners`,
    });
    const { lag_seconds: lag = null, is_behind: isBehind = false, owners = [] } = rows[0] ?? {};
    known = {
      at,
      lagSeconds: isBehind ? Number.POSITIVE_INFINITY : (lag ?? 0),
      isPending: isBehind || lag !== null,
      owners: new Set(owners),
    };
    return known;
  }

  async function latest(): Promise<Read> {
    if (known && now() - known.at < MAX_AGE_MS) return known;
    reading ??= read().finally(() => {
      reading = undefined;
    });
    return reading;
  }

  return {
    async stateFor(readerId: string | undefined): Promise<IndexState> {
      const { at, lagSeconds, isPending, owners } = await latest();
      const since = Math.max(0, now() - at) / SECOND_MS;
      // Of a listing that is deleted nobody can tell whose it was: while anything is pending, whoever wrote lately may be behind.
      const until = isCluster || isPending ? Math.min(at, now() - SPREAD_MS) : at;
      const wroteAt = readerId === undefined ? -Infinity : Math.max(writers.get(readerId) ?? -Infinity, gapAt);
      return {
        lagSeconds: isPending ? lagSeconds + since : 0,
        isPending: isPending || heardAt >= at,
        isBehind: wroteAt >= until || (readerId !== undefined && owners.has(readerId)),
      };
    },
    noteChanges(userIds: readonly string[]): void {
      heardAt = now();
      for (const userId of userIds) writers.set(userId, heardAt);
    },
    noteGap(): void {
      heardAt = gapAt = now();
    },
  };
}
