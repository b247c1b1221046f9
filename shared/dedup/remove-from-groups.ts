import { sql } from 'kysely';
import type { Tx } from '../queues/jobs.ts';

/**
 * Takes listings that are about to be deleted for good out of every group, decided or not, and out of what is remembered of
 * decisions. The links of others with them go, and groups of which fewer than two are left.
 */
export async function removeFromGroups(tx: Tx, listingIds: readonly string[]): Promise<void> {
  const { rows } = await sql<{ group_id: string }>`
    with gone as (delete from dedup_members where listing_id = any(${listingIds}::text[]) returning group_id)
    select distinct group_id from gone`.execute(tx);
  const groups = rows.map(({ group_id }) => group_id);
  await sql`update dedup_members m set evidence = (
      select coalesce(jsonb_agg(link order by place), '[]') from jsonb_array_elements(m.evidence) with ordinality as told (link, place)
      where link->>'listing_id' <> all(${listingIds}::text[]))
    where m.group_id = any(${groups}::text[])`.execute(tx);
  await sql`delete from dedup_groups g where g.id = any(${groups}::text[])
    and (select count(*) from dedup_members m where m.group_id = g.id) < 2`.execute(tx);
  await sql`delete from dedup_rejections where first_id = any(${listingIds}::text[]) or second_id = any(${listingIds}::text[])`.execute(
    tx,
  );
}
