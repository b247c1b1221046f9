import type { SearchPool } from './search-pool.ts';
import type { Catalog } from '../catalog/tree.ts';
import type { Clock } from '../kit/clock.ts';
import { createTypesenseClient, type TypesenseConfig } from './typesense/client.ts';
import type { SearchIndex } from './typesense/collections.ts';
import { createIndexBatches } from './typesense/index-batches.ts';
import { buildSchema } from './typesense/schema.ts';
import type { SyncResult } from './typesense/sync.ts';

/** A search index and how workers write it: what is to be indexed at the same time goes together. */
export type WritableIndex = SearchIndex & { indexTogether(listingIds: readonly string[]): Promise<SyncResult> };

/** The index of the configuration, for readers. */
export function openIndex(config: TypesenseConfig, catalog: Catalog): SearchIndex {
  return { client: createTypesenseClient(config), alias: config.collection, schema: buildSchema(catalog) };
}

/** The same for workers. */
export function openWritableIndex(
  config: TypesenseConfig,
  { pool, catalog, clock }: { pool: SearchPool; catalog: Catalog; clock: Clock },
): WritableIndex {
  const index = openIndex(config, catalog);
  return { ...index, indexTogether: createIndexBatches({ pool, index, now: () => clock.now() }) };
}
