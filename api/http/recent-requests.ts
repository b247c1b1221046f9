import type { Pool } from 'pg';
import type { Logger } from '../../shared/kit/log.ts';

const MAX_REQUESTS = 500;
const SHARE_EVERY_MS = 2_000;

export type RecentRequest = {
  at: string;
  request_id: string;
  method: string;
  path: string;
  status: number;
  duration_ms: number;
  user_id: string | null;
  /** The network of the client, never its whole address. */
  ip: string;
};

/**
 * Ring buffer of the last 500 requests of this process, which are shared through the database every two seconds while there are new
 * ones: nothing is written in a request's own path, and every process tells of all of them.
 */
export function createRecentRequests(pool: Pool, processId: string, log: Logger) {
  const ring: RecentRequest[] = [];
  let next = 0;
  let isShared = true;
  let sharing = Promise.resolve();

  async function share(): Promise<void> {
    if (isShared) return;
    isShared = true;
    try {
      await pool.query({
        name: 'share-recent-requests',
        text: `insert into recent_requests (process_id, requests, updated_at) values ($1, $2, now())
               on conflict (process_id) do update set requests = excluded.requests, updated_at = excluded.updated_at`,
        values: [processId, JSON.stringify(ring)],
      });
    } catch (error) {
      isShared = false;
      log.warn({ err: error }, 'recent requests could not be shared yet');
    }
  }
  const inTurn = () => (sharing = sharing.then(share));
  const timer = setInterval(() => void inTurn(), SHARE_EVERY_MS);
  timer.unref();

  return {
    record(request: RecentRequest): void {
      ring[next] = request;
      next = (next + 1) % MAX_REQUESTS;
      isShared = false;
    },
    /** Forgets the requests of this process: their paths may tell of somebody who has left. */
    forget(): void {
      ring.length = 0;
      next = 0;
      isShared = false;
    },
    /** The last 500 of all processes, newest first. */
    async read(): Promise<RecentRequest[]> {
      const { rows } = await pool.query<{ requests: RecentRequest[] }>({
        name: 'recent-requests',
        text: 'select requests from recent_requests where process_id <> $1',
        values: [processId],
      });
      return [...ring, ...rows.flatMap(({ requests }) => requests)]
        .toSorted((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0))
        .slice(0, MAX_REQUESTS);
    },
    /** Shares what is new for the last time. */
    async stop(): Promise<void> {
      clearInterval(timer);
      await inTurn();
    },
  };
}

export type RecentRequests = ReturnType<typeof createRecentRequests>;
