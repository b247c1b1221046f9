import { sql } from 'kysely';
import type { Database } from '../../db/client.ts';
import { inTransaction } from '../../db/client.ts';
import type { Jobs, Tx } from '../queues/jobs.ts';

/** Seconds between tries while the index is unreachable. */
const RETRY_SECONDS = 5;
const BATCH = 500;

type Producer = Pick<Jobs, 'enqueue'>;

/** Stores changes that the index could not take, one row per listing, for the drain job. */
export async function deferListings(
  db: Database,
  jobs: Producer,
  listingIds: readonly string[],
  now: Date,
): Promise<void> {
  await inTransaction(db, async (tx) => {
    await sql`
      insert into search_backlog (listing_id, since)
      select id, ${now} from unnest(${[...new Set(listingIds)].toSorted()}::text[]) as id
      on conflict (listing_id) do nothing`.execute(tx);
    await queueDrain(tx, jobs, now);
  });
}

/** Queues the drain job; one waits at most. */
export async function queueDrain(tx: Tx, jobs: Producer, now: Date): Promise<void> {
  const startAfter = new Date(now.getTime() + RETRY_SECONDS * 1_000);
  await jobs.enqueue(tx, 'drain-search-backlog', {}, { key: 'backlog', startAfter });
}

/**
 * Takes the oldest changes of the backlog and acts on them, in one transaction: they stay there when that fails. Who defers one
 * of them again meanwhile waits, and is not lost. Answers how many there were.
 */
export async function takeFromBacklog(db: Database, act: (listingIds: string[]) => Promise<unknown>): Promise<number> {
  return inTransaction(db, async (tx) => {
    const { rows } = await sql<{ listing_id: string }>`
      delete from search_backlog where listing_id in (
        select listing_id from search_backlog order by since, listing_id limit ${BATCH} for update skip locked)
      returning listing_id`.execute(tx);
    if (rows.length > 0) await act(rows.map(({ listing_id: id }) => id));
    return rows.length;
  });
}
