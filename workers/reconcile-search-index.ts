import { inTransaction } from '../db/client.ts';
import { ServiceError } from '../shared/kit/errors.ts';
import type { JobHandler } from '../shared/queues/runner.ts';
import { startReindexRun } from '../shared/search/reindex.ts';
import { dropCanaries } from '../shared/search/typesense/canary.ts';
import { isOfSchema, readTarget } from '../shared/search/typesense/collections.ts';
import { confirmTarget } from '../shared/search/typesense/confirm.ts';
import { compareCollection } from '../shared/search/typesense/compare.ts';
import { writeTerms } from '../shared/search/typesense/terms.ts';
import { writeWordSets } from '../shared/search/typesense/word-sets.ts';
import type { WorkerServices } from './services.ts';

/**
 * Holds the search index against the database and repairs what has drifted, and writes the synonyms, stop words and frequent
 * queries beside it. One that is missing although a write made now is there, or whose documents would be made otherwise today,
 * is built anew.
 */
export const reconcileSearchIndex: JobHandler<WorkerServices, 'reconcile-search-index'> = async (
  { db, pool, jobs, clock, log, searchIndex, marketplace },
  _payload,
  { signal },
) => {
  if (!searchIndex) return;
  // An edit of the marketplace queues this job: documents are made by its templates.
  await marketplace.refresh();
  const read = await readTarget(searchIndex);
  const isOld = read !== undefined && !isOfSchema(searchIndex, read);
  const target = isOld ? undefined : await confirmTarget(searchIndex);
  if (target === undefined) {
    try {
      const started = await inTransaction(db, (tx) => startReindexRun(tx, jobs, null, clock.now()));
      return { reindex_job_id: started };
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'conflict') return { reindexing: true };
      throw error;
    }
  }
  const now = () => clock.now();
  await dropCanaries(searchIndex, target);
  await writeWordSets(searchIndex.client);
  await writeTerms(pool, searchIndex, now());
  const comparison = await compareCollection({ pool, index: searchIndex, now }, target, signal, 'documents');
  if (comparison.repaired > 0) log.warn(comparison, 'the search index had drifted from the database');
  return comparison;
};
