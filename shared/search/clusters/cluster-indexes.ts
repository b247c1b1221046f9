import { LRUCache } from 'lru-cache';
import PQueue from 'p-queue';
import type { Piscina } from 'piscina';
import type { Pool } from 'pg';
import { unavailable } from '../../kit/errors.ts';
import type { Box } from '../../places/area.ts';
import { readPoints, type PointsQuery } from './read-points.ts';
import type { ClusterResult, ClusterTask } from './cluster-thread.ts';

/** Up to so many points an index is built anew as soon as a listing has changed; of more, the last one answers meanwhile. */
const MAX_FRESH_POINTS = 20_000;
/** Such an index is built anew after so many times what building takes, … */
const REST = 10;
/** … and is waited for when it is behind for longer than this. */
const MAX_STALE_MS = 60_000;
/** All indexes of a process together: about 600 bytes each. */
const MAX_POINTS = 1_500_000;
const IDLE_MS = 600_000;
const MAX_WAITING = 20;
/** An answer of more is refused. */
export const MAX_FEATURES = 50_000;

type Thread = Piscina<ClusterTask, ClusterResult>;
type Index = {
  key: string;
  home: 0 | 1;
  points: number;
  version: number;
  readAt: number;
  builtAt: number;
  tookMs: number;
};

/** Features as JSON, undefined where there are more than MAX_FEATURES; stale ones may be behind the listings. */
export type Clusters = { features: string | undefined; isStale: boolean };

/**
 * Keeps supercluster indexes in two worker threads, by the filters of their points: one thread answers while the other builds,
 * so that neither the event loop nor a reader waits for it. `version` changes whenever a listing may have changed.
 */
export function createClusterIndexes(
  readFrom: (work: (database: { pool: Pool }) => Promise<string[]>) => Promise<string[]>,
  version: () => number,
) {
  const threads: [Promise<Thread>?, Promise<Thread>?] = [];
  const building = new Map<string, Promise<Index>>();
  const queue = new PQueue({ concurrency: 1 });
  // A thread that has ended has dropped everything.
  const drop = ({ key, home }: Index) => void run(home, { kind: 'drop', key }).catch(() => undefined);
  const indexes = new LRUCache<string, Index>({
    maxSize: MAX_POINTS,
    sizeCalculation: ({ points }) => points + 1_000,
    ttl: IDLE_MS,
    ttlAutopurge: true,
    updateAgeOnGet: true,
    dispose: (index) => drop(index),
  });

  async function run(home: 0 | 1, task: ClusterTask): Promise<ClusterResult> {
    return (await (threads[home] ??= startThread())).run(task);
  }

  /** Builds an index where the one there is does not live; those who ask for the same meanwhile share it. */
  function build(query: PointsQuery): Promise<Index> {
    const { key } = query;
    const known = building.get(key);
    if (known) return known;
    if (queue.size >= MAX_WAITING)
      throw unavailable('Too many maps are being drawn at this moment; try again shortly.');
    const built = queue.add(async () => {
      const [startedAt, startedIn] = [performance.now(), version()];
      const chunks = await readFrom(({ pool }) => readPoints(pool, query));
      const home = indexes.peek(key)?.home === 0 ? 1 : 0;
      const { points = 0 } = await run(home, { kind: 'build', key, chunks });
      const builtAt = performance.now();
      const index = {
        key,
        home,
        points,
        version: startedIn,
        readAt: startedAt,
        builtAt,
        tookMs: builtAt - startedAt,
      } as const;
      indexes.set(key, index);
      return index;
    });
    building.set(key, built);
    void built.catch(() => undefined).finally(() => building.delete(key));
    return built;
  }

  /** The index of a query that will do: a fresh one, or a large one that is behind while the next is being built. */
  async function find(query: PointsQuery): Promise<Index> {
    const index = indexes.get(query.key);
    if (index?.version === version()) return index;
    if (!index || index.points <= MAX_FRESH_POINTS) return build(query);
    const now = performance.now();
    const next = now - index.builtAt > index.tookMs * REST ? build(query) : undefined;
    if (next && now - index.readAt > Math.max(MAX_STALE_MS, index.tookMs * REST * 2)) return next;
    // Whoever asks next, and has to wait, is told why it failed.
    void next?.catch(() => undefined);
    return index;
  }

  return {
    /** The clusters and single points in a box at a zoom, as supercluster's getClusters has them. */
    async getClusters(query: PointsQuery, { west, south, east, north }: Box, zoom: number): Promise<Clusters> {
      const index = await find(query);
      const isStale = index.version !== version();
      const bbox: [number, number, number, number] = [west, south, east, north];
      const { features } = await run(index.home, { kind: 'query', key: query.key, bbox, zoom, most: MAX_FEATURES });
      return { features, isStale };
    },

    async close(): Promise<void> {
      queue.clear();
      await queue.onIdle();
      for (const thread of threads) await (await thread)?.destroy();
    },
  };
}

export type ClusterIndexes = ReturnType<typeof createClusterIndexes>;

async function startThread(): Promise<Thread> {
  const { Piscina } = await import('piscina');
  const filename = new URL('./cluster-thread.ts', import.meta.url).href;
  return new Piscina({ filename, minThreads: 1, maxThreads: 1 });
}
