import { sql } from 'kysely';
import type { JournalEntry } from '../journal/reader.ts';
import type { Jobs, Tx } from '../queues/jobs.ts';

/** Listings per job: each is read with its photos. */
const CHUNK = 5;
const telling = new Set(['listing.created', 'listing.published', 'listing.updated']);

/** Queues a check, in the reader's transaction, of the listings that these events created, published or changed. */
export async function queueScamChecks(
  { jobs }: { jobs: Pick<Jobs, 'enqueueAll'> },
  tx: Tx,
  events: readonly Pick<JournalEntry, 'type' | 'subject'>[],
): Promise<void> {
  const ids = [...new Set(events.filter(({ type }) => telling.has(type)).map(({ subject }) => subject))];
  // What scrapers bring in is not checked, and comes in thousands.
  const { rows } = await sql<{ id: string }>`
    select l.id from listings l where l.id = any(${ids}::text[])
      and not exists (select from listing_sources s where s.listing_id = l.id and s.scraper_id is not null)`.execute(
    tx,
  );
  const checked = rows.map(({ id }) => id);
  const chunks = Array.from({ length: Math.ceil(checked.length / CHUNK) }, (_, index) => ({
    payload: { listing_ids: checked.slice(index * CHUNK, (index + 1) * CHUNK) },
  }));
  if (chunks.length > 0) await jobs.enqueueAll(tx, 'check-scams', chunks);
}
