import type { SearchPool } from './search-pool.ts';
import type { Registry } from 'prom-client';
import { inTransaction, type Database } from '../../db/client.ts';
import type { Catalog } from '../catalog/tree.ts';
import type { Jobs } from '../queues/jobs.ts';
import type { Deadlines } from '../kit/deadlines.ts';
import type { Logger } from '../kit/log.ts';
import type { Searcher } from './engine.ts';
import { openIndex } from './open-index.ts';
import { createPostgresEngine } from './postgres/engine.ts';
import { searchIndex, searchPostgres } from './searcher.ts';
import type { TypesenseConfig } from './typesense/client.ts';
import { createTypesenseEngine } from './typesense/engine.ts';

/** A missing index is given so long to be built before it is asked for again. */
const BUILDING_MS = 30_000;
/** An index that comes and goes is compared with the database once in so long. */
const COMPARING_MS = 600_000;

type Dependencies = {
  pool: SearchPool;
  db: Database;
  jobs: Pick<Jobs, 'enqueue'>;
  marketplace: { current(): { catalog: Catalog } };
  log: Logger;
  registry: Registry;
  deadlines?: Deadlines;
};

/** The search of this process: PostgreSQL's own, with an index before it where one is configured. */
export function createSearcher(config: TypesenseConfig | undefined, dependencies: Dependencies): Searcher {
  const { pool, db, jobs, marketplace, deadlines } = dependencies;
  const postgres = createPostgresEngine(pool);
  if (!config) return searchPostgres(postgres);
  const searchable = openIndex(config, marketplace, deadlines);
  /** Queues the job that compares or builds the index, at most once in so many milliseconds. */
  const reconcile = (key: string, everyMs: number) => {
    let againAt = 0;
    return async () => {
      if (performance.now() < againAt) return;
      againAt = performance.now() + everyMs;
      await inTransaction(db, async (tx) => void (await jobs.enqueue(tx, 'reconcile-search-index', {}, { key })));
    };
  };
  const index = {
    engine: createTypesenseEngine(pool, searchable),
    onDrift: (listingIds: string[]) =>
      inTransaction(db, async (tx) => void (await jobs.enqueue(tx, 'index-listing', { listing_ids: listingIds }))),
    onMissing: reconcile('missing', BUILDING_MS),
    onReturn: reconcile('returned', COMPARING_MS),
    onDisconnect: searchable.client.onDisconnect,
    isCluster: config.nodes.length > 1,
    close: () => searchable.client.close(),
  };
  return searchIndex(postgres, index, dependencies);
}
