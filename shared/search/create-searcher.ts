import type { SearchPool } from './search-pool.ts';
import type { Registry } from 'prom-client';
import { inTransaction, type Database } from '../../db/client.ts';
import type { Catalog } from '../catalog/tree.ts';
import type { Jobs } from '../queues/jobs.ts';
import type { Logger } from '../kit/log.ts';
import type { Searcher } from './engine.ts';
import { openIndex } from './open-index.ts';
import { createPostgresEngine } from './postgres/engine.ts';
import { searchIndex, searchPostgres } from './searcher.ts';
import type { TypesenseConfig } from './typesense/client.ts';
import { createTypesenseEngine } from './typesense/engine.ts';

/** A missing index is given so long to be built before it is asked for again. */
const BUILDING_MS = 30_000;

type Dependencies = {
  pool: SearchPool;
  db: Database;
  jobs: Pick<Jobs, 'enqueue'>;
  catalog: Catalog;
  log: Logger;
  registry: Registry;
};

/** The search of this process: PostgreSQL's own, with an index before it where one is configured. */
export function createSearcher(config: TypesenseConfig | undefined, dependencies: Dependencies): Searcher {
  const { pool, db, jobs, catalog } = dependencies;
  const postgres = createPostgresEngine(pool);
  if (!config) return searchPostgres(postgres);
  const { client, alias } = openIndex(config, catalog);
  let askAgainAt = 0;
  const index = {
    engine: createTypesenseEngine(pool, client, alias),
    onDrift: (listingIds: string[]) =>
      inTransaction(db, async (tx) => void (await jobs.enqueue(tx, 'index-listing', { listing_ids: listingIds }))),
    onMissing: async () => {
      if (performance.now() < askAgainAt) return;
      askAgainAt = performance.now() + BUILDING_MS;
      await inTransaction(
        db,
        async (tx) => void (await jobs.enqueue(tx, 'reconcile-search-index', {}, { key: 'missing' })),
      );
    },
    isCluster: config.nodes.length > 1,
    close: () => client.close(),
  };
  return searchIndex(postgres, index, dependencies);
}
