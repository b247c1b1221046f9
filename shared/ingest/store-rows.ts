import { addMilliseconds, HOUR_MS, type Clock } from '../kit/clock.ts';
import { recordEvents, type NewEvent } from '../journal/events.ts';
import type { Jobs, Tx } from '../queues/jobs.ts';
import type { MappedRecord } from './map-record.ts';
import type { ImagePlan } from '../listings/store-images.ts';

export type StoreDependencies = { jobs: Pick<Jobs, 'enqueue' | 'enqueueAll'>; clock: Clock; staticUrl: string };

/** The bounds of the adaptive refresh interval: halved when a page has changed, doubled when it has not. */
export const INTERVAL_HOURS = { min: 24, max: 14 * 24 };

/** Writes the events and queues the jobs of listings that were written. */
export async function recordWrites(
  tx: Tx,
  { jobs }: StoreDependencies,
  listingIds: string[],
  images: readonly ImagePlan[],
  events: NewEvent[],
  now: Date,
): Promise<void> {
  await recordEvents(tx, now, events);
  if (listingIds.length > 0) await jobs.enqueue(tx, 'index-listing', { listing_ids: listingIds });
  await jobs.enqueueAll(
    tx,
    'localize-images',
    images
      .filter(({ named }) => named.length > 0)
      .map(({ listingId }) => ({ payload: { listing_id: listingId }, options: { key: listingId } })),
  );
}

/** When a page is due again, counted from its last reading. */
export function nextVisitAt({ scrapedAt }: MappedRecord, hours: number): Date {
  return addMilliseconds(scrapedAt, hours * HOUR_MS);
}
