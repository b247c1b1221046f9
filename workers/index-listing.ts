import { inTransaction } from '../db/client.ts';
import type { JobHandler } from '../shared/queues/runner.ts';
import { addToVocabulary } from '../shared/search/query/vocabulary.ts';
import { deferListings } from '../shared/search/index-backlog.ts';
import { TypesenseError } from '../shared/search/typesense/client.ts';
import type { WorkerServices } from './services.ts';

/**
 * Brings the search index up to date with some listings, as they are now, and adds their words to those that a mistyped word is
 * corrected to. An index that is gone is built anew. While the index is not to be reached, they wait in its backlog. Repeating it does no harm.
 */
export const indexListing: JobHandler<WorkerServices, 'index-listing'> = async (services, { listing_ids: ids }) => {
  const { db, jobs, clock, log, searchIndex } = services;
  await addToVocabulary(db, ids);
  if (!searchIndex) return;
  try {
    const synced = await searchIndex.indexTogether(ids);
    if (synced.isMissing) {
      await inTransaction(
        db,
        async (tx) => void (await jobs.enqueue(tx, 'reconcile-search-index', {}, { key: 'missing' })),
      );
    }
    return synced;
  } catch (error) {
    if (!(error instanceof TypesenseError)) throw error;
    log.warn({ err: error, listings: ids.length }, 'the search index takes no changes: they wait');
    await deferListings(db, jobs, ids, clock.now());
    return { deferred: ids.length };
  }
};
