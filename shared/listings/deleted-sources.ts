import { sql } from 'kysely';
import type { Tx } from '../queues/jobs.ts';

/**
 * Remembers the pages of listings that are about to be deleted for good (tombstones), so that their owner does not ingest
 * them again.
 */
export async function rememberDeletedSources(tx: Tx, listingIds: readonly string[], now: Date): Promise<void> {
  await sql`
    insert into deleted_sources (normalized_url, owner, listing_id, merged_into, deleted_at)
    select s.normalized_url, s.owner, s.listing_id, l.merged_into, ${now}
    from listing_sources s join listings l on l.id = s.listing_id
    where s.listing_id = any(${listingIds}::text[])
    order by s.normalized_url, s.owner
    on conflict (normalized_url, owner) do update
      set listing_id = excluded.listing_id, merged_into = excluded.merged_into, deleted_at = excluded.deleted_at`.execute(
    tx,
  );
}
