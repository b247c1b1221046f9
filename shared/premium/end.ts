import { sql } from 'kysely';
import { inTransaction, type Database } from '../../db/client.ts';
import { addMilliseconds, HOUR_MS, type Clock } from '../kit/clock.ts';
import { recordEvents } from '../journal/events.ts';
import type { Jobs, Tx } from '../queues/jobs.ts';
import { eventColumns, listingEvent } from '../listings/listing-event.ts';

type Services = { db: Database; jobs: Pick<Jobs, 'enqueue'>; clock: Clock };

const CHUNK = 1_000;
/** No provider's session lives longer than a day. */
const SESSION_LIVES_MS = 48 * HOUR_MS;

/** Takes promotions that are over off their listings, a thousand per transaction, with events and index jobs; answers how many. */
export async function endPromotions(services: Services, signal: AbortSignal): Promise<number> {
  let ended = 0;
  for (let count = CHUNK; count === CHUNK; ended += count) {
    signal.throwIfAborted();
    count = await inTransaction(services.db, (tx) => endChunk(tx, services));
  }
  return ended;
}

/** Closes checkouts that nobody can pay any more; answers how many. */
export async function closeAbandonedCheckouts({ db, clock }: Pick<Services, 'db' | 'clock'>): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('payments')
    .set({ status: 'expired' })
    .where('status', '=', sql.lit('open'))
    .where('created_at', '<', addMilliseconds(clock.now(), -SESSION_LIVES_MS))
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

async function endChunk(tx: Tx, { jobs, clock }: Services): Promise<number> {
  const now = clock.now();
  const ended = await tx
    .with('over', (db) =>
      db
        .selectFrom('listings')
        .select('id')
        .where('premium_type', 'is not', null)
        .where('premium_until', '<=', now)
        .orderBy('premium_until')
        .limit(CHUNK)
        .forUpdate()
        .skipLocked(),
    )
    .updateTable('listings')
    .set({ premium_type: null, premium_until: null, updated_at: now, version: sql`version + 1` })
    .where('id', 'in', (db) => db.selectFrom('over').select('id'))
    .returning(eventColumns)
    .execute();
  const shown = ended.filter(({ status }) => status !== 'deleted');
  await recordEvents(
    tx,
    now,
    shown.map((listing) => listingEvent('listing.updated', listing)),
  );
  if (shown.length > 0) await jobs.enqueue(tx, 'index-listing', { listing_ids: shown.map(({ id }) => id) });
  return ended.length;
}
