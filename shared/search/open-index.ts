import type { SearchPool } from './search-pool.ts';
import type { Catalog } from '../catalog/tree.ts';
import { memoizeLast } from '../kit/memoize-last.ts';
import type { Clock } from '../kit/clock.ts';
import type { Deadlines } from '../kit/deadlines.ts';
import { createTypesenseClient, type TypesenseConfig } from './typesense/client.ts';
import type { SearchIndex } from './typesense/collections.ts';
import { createIndexBatches } from './typesense/index-batches.ts';
import { buildSchema } from './typesense/schema.ts';
import type { SyncResult } from './typesense/sync.ts';

/** A search index and how workers write it: what is to be indexed at the same time goes together. */
export type WritableIndex = SearchIndex & { indexTogether(listingIds: readonly string[]): Promise<SyncResult> };

/** What documents are made by: the catalog in force. */
type CurrentCatalog = { current(): { catalog: Catalog } };

/** The index of the configuration, for readers. */
export function openIndex(config: TypesenseConfig, marketplace: CurrentCatalog, deadlines?: Deadlines): SearchIndex {
  const schemaOf = memoizeLast(buildSchema);
  return {
    client: createTypesenseClient(config, deadlines),
    alias: config.collection,
    get schema() {
      return schemaOf(marketplace.current().catalog);
    },
  };
}

/** The same for workers. */
export function openWritableIndex(
  config: TypesenseConfig,
  {
    pool,
    marketplace,
    clock,
    deadlines,
  }: { pool: SearchPool; marketplace: CurrentCatalog; clock: Clock; deadlines?: Deadlines },
): WritableIndex {
  const index = openIndex(config, marketplace, deadlines);
  // Not spread: the schema follows the marketplace.
  return Object.assign(index, { indexTogether: createIndexBatches({ pool, index, now: () => clock.now() }) });
}
