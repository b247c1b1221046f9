import { CompiledQuery } from 'kysely';
import { addMilliseconds, HOUR_MS, type Clock } from '../kit/clock.ts';
import { recordEvents, type NewEvent } from '../journal/events.ts';
import type { Jobs, Tx } from '../queues/jobs.ts';
import type { MappedRecord } from './map-record.ts';
import { yieldOften } from '../kit/turns.ts';
import type { ImagePlan } from '../listings/store-images.ts';

export type StoreDependencies = { jobs: Pick<Jobs, 'enqueue' | 'enqueueAll'>; clock: Clock; staticUrl: string };

/** A page is looked at again after a day to two weeks: sooner when it has changed, later when it has not. */
export const INTERVAL_HOURS = { min: 24, max: 14 * 24 };

/** The events and the jobs of listings that were written. */
export async function finish(
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

/** Counted from the reading of the page. */
export function dueAt({ scrapedAt }: MappedRecord, hours: number): Date {
  return addMilliseconds(scrapedAt, hours * HOUR_MS);
}

/** Runs one statement of ingestion in the transaction. */
export async function run<Row>(tx: Tx, text: string, values: unknown[]): Promise<Row[]> {
  const { rows } = await tx.executeQuery<Row>(CompiledQuery.raw(text, values));
  return rows;
}

/** Bytes of rows in one statement: what is made into JSON and sent at once holds the event loop. */
const MAX_STATEMENT_LENGTH = 1_000_000;

/** As `run`, of a statement whose first value is a recordset: so many rows at a time that other requests go on in between. */
export async function runRows<Row>(
  tx: Tx,
  text: string,
  rows: readonly object[],
  values: readonly unknown[],
): Promise<Row[]> {
  const goOn = yieldOften();
  const found: Row[] = [];
  let batch: string[] = [];
  let length = 0;
  const write = async () => {
    if (batch.length > 0) found.push(...(await run<Row>(tx, text, [`[${batch.join(',')}]`, ...values])));
    batch = [];
    length = 0;
  };
  for (const row of rows) {
    await goOn();
    const json = JSON.stringify(row);
    if (length + json.length > MAX_STATEMENT_LENGTH) await write();
    batch.push(json);
    length += json.length;
  }
  await write();
  return found;
}
