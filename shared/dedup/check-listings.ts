import { inTransaction, type Database } from '../../db/client.ts';
import type { Clock } from '../kit/clock.ts';
import type { Jobs, Tx } from '../queues/jobs.ts';
import type { JournalEntry } from '../journal/reader.ts';
import { findGroups } from './find-groups.ts';
import { lockDedup } from './lock.ts';
import { DETECTED_FROM } from './cap-score.ts';
import { compareCandidates } from './scan.ts';
import { refreshFingerprints } from './store.ts';
import { storeGroups } from './stored-groups.ts';

/** Listings per transaction: others wait for it. */
const CHUNK = 25;

/** Queues a duplicate check, in the reader's transaction, of the listings that these events created, changed or ended. */
export async function queueChecks(
  { jobs }: { jobs: Pick<Jobs, 'enqueueAll'> },
  tx: Tx,
  events: readonly Pick<JournalEntry, 'type' | 'subject'>[],
): Promise<void> {
  const touched = events.filter(({ type }) => type.startsWith('listing.') && type !== 'listing.rewritten');
  const ids = [...new Set(touched.map(({ subject }) => subject))];
  const chunks = Array.from({ length: Math.ceil(ids.length / CHUNK) }, (_, index) => ({
    payload: { listing_ids: ids.slice(index * CHUNK, (index + 1) * CHUNK) },
  }));
  await jobs.enqueueAll(tx, 'dedup-listing', chunks);
}

/**
 * Incremental record linkage: fingerprints these listings anew, compares them with their candidates and stores the groups
 * that their links close. Idempotent. Answers how many groups are new.
 */
export function checkListings(
  { db, clock }: { db: Database; clock: Clock },
  listingIds: readonly string[],
): Promise<number> {
  return inTransaction(db, async (tx) => {
    await lockDedup(tx);
    await refreshFingerprints(tx, listingIds);
    await compareCandidates(tx, listingIds);
    return storeGroups(tx, await findGroups(tx, listingIds, DETECTED_FROM), clock.now());
  });
}
