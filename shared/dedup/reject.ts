import { sql } from 'kysely';
import { withLockedGroup, requireUndecided, type DecideServices } from './lock-group.ts';

/**
 * Says that the listings of an undecided group are no duplicates: no two of them are put into one group again. 404 for an
 * unknown group, 409 for one that is decided.
 */
export async function rejectGroup(
  services: DecideServices,
  { groupId, by }: { groupId: string; by: string },
): Promise<void> {
  await withLockedGroup(services, groupId, async (tx, group) => {
    requireUndecided(group);
    const now = services.clock.now();
    await sql`insert into dedup_rejections (first_id, second_id, rejected_by, rejected_at)
      select a.listing_id, b.listing_id, ${by}, ${now} from dedup_members a join dedup_members b using (group_id)
      where group_id = ${groupId} and a.listing_id < b.listing_id order by 1, 2 on conflict do nothing`.execute(tx);
    await tx.updateTable('dedup_members').set({ open: false }).where('group_id', '=', groupId).execute();
    await tx
      .updateTable('dedup_groups')
      .set({ status: 'rejected', resolved_at: now, resolved_by: by })
      .where('id', '=', groupId)
      .execute();
  });
}
