import type { Pool } from 'pg';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { Logger } from '../kit/log.ts';
import { createBreaker } from './breaker.ts';
import type { PageRequest, Searcher, SearchEngine } from './engine.ts';
import { createIndexState } from './index-state.ts';
import { createPostgresEngine } from './postgres/engine.ts';
import { TypesenseError } from './typesense/client.ts';
import { StaleIndex, type TypesenseEngine } from './typesense/engine.ts';

/** Every change must be visible within 5 s: an index further behind is not asked. */
const MAX_LAG_SECONDS = 3;

type Index = {
  engine: TypesenseEngine;
  /** Called with listings that the index has wrong although no change of them is pending. */
  onDrift: (listingIds: string[]) => Promise<void>;
  /** Called when the index is missing although the server answers and has replayed its log. */
  onMissing: () => Promise<void>;
  /** Called when the index answers again after it was away. */
  onReturn: () => Promise<void>;
  /** Calls back when no connection to the index is left. */
  onDisconnect: (listener: (isClosed: boolean) => void) => void;
  /** Whether each question may be answered by another node, which may learn a change after the others. */
  isCluster: boolean;
  close(): Promise<void>;
};
type Dependencies = { pool: Pool; log: Logger; registry: Registry };

/** PostgreSQL's page of a search that Typesense may have begun by its own order. */
const findInPostgres = (postgres: SearchEngine, { search, ...wish }: PageRequest) =>
  postgres.findPage({
    ...wish,
    search: search.after?.engine === 'typesense' ? { ...search, after: undefined, offset: search.after.seen } : search,
  });

/** A searcher over PostgreSQL alone. */
export function searchPostgres(postgres: SearchEngine): Searcher {
  const own = { engine: 'postgres', isFleeting: false } as const;
  return {
    findPage: async (wish) => ({ ...(await findInPostgres(postgres, wish)), ...own }),
    suggest: async (wish) => ({ ...(await postgres.suggest(wish)), ...own }),
    on: (pool) => searchPostgres(createPostgresEngine(pool)),
    noteChanges: () => {},
    noteGap: () => {},
    findTrouble: async () => undefined,
    close: async () => {},
  };
}

/**
 * A searcher with fallback: the index answers what it can while it is up to date and in time, PostgreSQL all else.
 * Read-your-writes: who has just changed a listing is answered by PostgreSQL until the index has it. After a disconnection
 * nothing is believed before a write has been read back.
 */
export function searchIndex(postgres: SearchEngine, index: Index, { pool, log, registry }: Dependencies): Searcher {
  const answers = new Counter({
    name: 'quayside_search_answers_total',
    help: 'Pages of listings found, by the engine that found them.',
    labelNames: ['engine'] as const,
    registers: [registry],
  });
  const isResting = new Gauge({
    name: 'quayside_search_index_resting',
    help: 'Whether a process leaves the search index alone because it fails (1) or asks it (0).',
    aggregator: 'max',
    registers: [registry],
  });
  isResting.set(0);
  const state = createIndexState(pool, index.isCluster);
  let trouble: unknown;
  let wasClosed = false;
  const breaker = createBreaker(
    () => performance.now(),
    (cause) => {
      trouble = cause;
      isResting.set(cause === undefined ? 0 : 1);
      if (cause !== undefined) return log.warn({ err: cause }, 'the search index does not answer: PostgreSQL does');
      wasClosed = true;
      log.info('the search index answers again');
    },
  );
  index.onDisconnect((isClosed) => {
    wasClosed ||= isClosed;
    breaker.doubt();
  });

  async function probe(): Promise<void> {
    try {
      await index.engine.probe();
    } catch (error) {
      if (error instanceof TypesenseError && error.status === 404) await index.onMissing();
      throw error;
    }
  }

  /** The index's answer; undefined where PostgreSQL has to answer. */
  async function askIndex<Answer>(
    readerId: string | undefined,
    act: () => Promise<Answer | undefined>,
  ): Promise<(Answer & { isFleeting: boolean }) | undefined> {
    breaker.probe(probe);
    await breaker.settleDoubt();
    if (!breaker.isClosed()) return undefined;
    if (wasClosed) {
      wasClosed = false;
      await index.onReturn();
    }
    const { lagSeconds, isPending, isBehind } = await state.stateFor(readerId);
    if (lagSeconds > MAX_LAG_SECONDS || isBehind) return undefined;
    try {
      const answer = await breaker.call(() => act().catch(notItsFault));
      if (!(answer instanceof Error)) return answer && { ...answer, isFleeting: isPending };
      if (!(answer instanceof StaleIndex)) throw answer;
      if (!isPending) await index.onDrift(answer.listingIds);
    } catch (error) {
      if (!(error instanceof TypesenseError)) throw error;
      log.debug({ err: error }, 'a search was not answered by the index');
    }
    return undefined;
  }

  const searchWith = (fallback: SearchEngine): Searcher => ({
    async findPage(wish) {
      const found = await askIndex(wish.readerId, () => index.engine.findPage(wish));
      const engine = found ? 'typesense' : 'postgres';
      answers.inc({ engine });
      if (found) return { ...found, engine };
      return { ...(await findInPostgres(fallback, wish)), engine, isFleeting: false };
    },
    async suggest({ readerId, ...wish }) {
      const found = await askIndex(readerId, () => index.engine.suggest(wish));
      if (found) return { ...found, engine: 'typesense' };
      return { ...(await fallback.suggest(wish)), engine: 'postgres', isFleeting: false };
    },
    // The cards of what the index has found are checked where nothing is behind the index.
    on: (other) => searchWith(createPostgresEngine(other)),
    noteChanges: state.noteChanges,
    noteGap: state.noteGap,
    async findTrouble() {
      breaker.doubt();
      breaker.probe(probe);
      await breaker.settle();
      return trouble instanceof Error ? trouble.message : undefined;
    },
    async close() {
      await breaker.settle();
      await index.close();
    },
  });
  return searchWith(postgres);
}

/** An error that says nothing of the index, as its answer. */
function notItsFault(error: unknown): Error {
  if (!(error instanceof Error) || error instanceof TypesenseError) throw error;
  return error;
}
