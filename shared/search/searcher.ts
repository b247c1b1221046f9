import type { Pool } from 'pg';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { Logger } from '../kit/log.ts';
import { createBreaker } from './breaker.ts';
import type { FoundPage, PageRequest, Searcher, SearchEngine } from './engine.ts';
import { hasRecentChange, isBehindFor, readIndexState } from './index-state.ts';
import { TypesenseError } from './typesense/client.ts';
import { StaleIndex, type TypesenseEngine } from './typesense/engine.ts';
import { isSupported } from './typesense/query.ts';

/** Every change must be visible within 5 s: an index further behind is not asked. */
const MAX_LAG_SECONDS = 3;

type Index = {
  engine: TypesenseEngine;
  /** Called with listings that the index has wrong although no change of them is pending. */
  onDrift: (listingIds: string[]) => Promise<void>;
  /** Called when the index is missing although the server answers. */
  onMissing: () => Promise<void>;
  /** Whether each question may be answered by another node, which may learn a change after the others. */
  isCluster: boolean;
  close(): Promise<void>;
};
type Dependencies = { pool: Pool; log: Logger; registry: Registry };

/** A searcher over PostgreSQL alone. */
export function searchPostgres(postgres: SearchEngine): Searcher {
  const own = { engine: 'postgres', isFleeting: false } as const;
  return {
    findPage: async (wish) => ({ ...(await postgres.findPage(wish)), ...own }),
    suggest: async (wish) => ({ ...(await postgres.suggest(wish)), ...own }),
    close: async () => {},
  };
}

/**
 * A searcher with fallback: the index answers queries it supports while it is up to date and in time, PostgreSQL all
 * others. Read-your-writes: who has just changed a listing gets it from PostgreSQL until the index has it.
 */
export function searchIndex(postgres: SearchEngine, index: Index, { pool, log, registry }: Dependencies): Searcher {
  const answers = new Counter({
    name: 'search_answers_total',
    help: 'Pages of listings found, by the engine that found them.',
    labelNames: ['engine'] as const,
    registers: [registry],
  });
  const isOpen = new Gauge({
    name: 'search_index_resting',
    help: 'Whether a process leaves the search index alone because it fails (1) or asks it (0).',
    aggregator: 'max',
    registers: [registry],
  });
  isOpen.set(0);
  const breaker = createBreaker(
    () => performance.now(),
    (cause) => {
      isOpen.set(cause === undefined ? 0 : 1);
      if (cause === undefined) log.info('the search index answers again');
      else log.warn({ err: cause }, 'the search index does not answer: PostgreSQL does');
    },
  );

  async function isCurrentFor(readerId: string | undefined): Promise<{ isPending: boolean } | undefined> {
    const { lagSeconds, isPending, refuses } = await readIndexState(pool);
    if (lagSeconds > MAX_LAG_SECONDS) return undefined;
    if (readerId === undefined) return { isPending };
    if ((isPending || refuses) && (await isBehindFor(pool, readerId))) return undefined;
    if (index.isCluster && (await hasRecentChange(pool, readerId))) return undefined;
    return { isPending };
  }

  async function probe(): Promise<void> {
    try {
      await index.engine.probe();
    } catch (error) {
      if (error instanceof TypesenseError && error.status === 404) await index.onMissing();
      throw error;
    }
  }

  async function askIndex(wish: PageRequest): Promise<{ page: FoundPage; isPending: boolean } | undefined> {
    if (!isSupported(wish.search)) return undefined;
    breaker.probe(probe);
    if (!breaker.isClosed()) return undefined;
    const state = await isCurrentFor(wish.readerId);
    if (!state) return undefined;
    try {
      const page = await breaker.call(() => index.engine.findPage(wish).catch(notItsFault));
      if (!(page instanceof Error)) return page && { page, isPending: state.isPending };
      if (!(page instanceof StaleIndex)) throw page;
      if (!state.isPending) await index.onDrift(page.listingIds);
    } catch (error) {
      if (!(error instanceof TypesenseError)) throw error;
      log.debug({ err: error }, 'a search was not answered by the index');
    }
    return undefined;
  }

  return {
    async findPage(wish) {
      const found = await askIndex(wish);
      const engine = found ? 'typesense' : 'postgres';
      answers.inc({ engine });
      if (found) return { ...found.page, engine, isFleeting: found.isPending };
      return { ...(await postgres.findPage(wish)), engine, isFleeting: false };
    },
    suggest: async (wish) => ({ ...(await postgres.suggest(wish)), engine: 'postgres', isFleeting: false }),
    async close() {
      await breaker.settle();
      await index.close();
    },
  };
}

/** An error that says nothing of the index, as its answer. */
function notItsFault(error: unknown): Error {
  if (!(error instanceof Error) || error instanceof TypesenseError) throw error;
  return error;
}
