import { sql } from 'kysely';
import { conflict } from '../kit/errors.ts';
import type { Tx } from '../queues/jobs.ts';
import { changeListing } from '../listings/change.ts';
import type { EventListing } from '../listings/listing-event.ts';
import { restoredStatus } from '../listings/restored-status.ts';
import { returnAttachments } from './attachments.ts';
import { revertEnrichment, type Enrichable } from './enrich.ts';
import { withLockedGroup, type DecideServices, type LockedGroup } from './lock-group.ts';
import type { MergeUndo } from './merge.ts';
import { combineSources } from './sources.ts';
import { OFFERED } from './stored-groups.ts';

/** A listing that a merge has deleted and that cannot come back. */
export type NotRestored = { listing_id: string; reason: string };

/**
 * Takes a merge back in one transaction, and answers what could not come back: those listings leave the group, which waits for
 * a decision again. Rows are what they were before but for what was changed since and for their versions. 404 for an
 * unknown group, 409 for one that is not merged or whose canonical listing was merged into another one.
 */
export async function unmergeGroup(services: DecideServices, groupId: string): Promise<NotRestored[]> {
  return withLockedGroup(services, groupId, async (tx, group) => {
    if (group.status !== 'merged') throw conflict(`The group is not merged, it is ${group.status}.`);
    await requireOnTop(tx, group);
    const notRestored = await undoMerge(tx, services, group);
    await reopen(
      tx,
      group,
      notRestored.map(({ listing_id }) => listing_id),
      services.clock.now(),
    );
    return notRestored;
  });
}

/** Undoes the merge of a locked group, which then waits for a decision; who its members are, and how, is left to the caller. */
export async function undoMerge(tx: Tx, services: DecideServices, group: LockedGroup): Promise<NotRestored[]> {
  const undo = group.undo as MergeUndo;
  const keptId = group.canonicalId ?? '';
  const notRestored: NotRestored[] = [];
  for (const [id, before] of Object.entries(undo.members).toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const listing = group.listings.get(id);
    const reason = await findObstacle(tx, id, keptId);
    if (!listing || reason !== undefined) {
      notRestored.push({ listing_id: id, reason: reason ?? 'The listing is gone for good.' });
      continue;
    }
    group.listings.set(id, await restore(tx, services, listing, before));
    await returnAttachments(tx, before, { from: keptId, to: id, isGone: !group.listings.has(keptId) });
  }
  const status = 'detected';
  await tx
    .updateTable('dedup_groups')
    .set({ status, canonical_id: null, undo: null })
    .where('id', '=', group.id)
    .execute();
  const kept = group.listings.get(keptId);
  if (kept) await revertKept(tx, services, kept, undo);
  return notRestored;
}

/** Merges into a listing are undone before the merge of that listing into another one. */
async function requireOnTop(tx: Tx, { canonicalId }: LockedGroup): Promise<void> {
  const { rows } = await sql<{ group_id: string }>`
    select g.id as group_id from listings l join dedup_members m on m.listing_id = l.id
      join dedup_groups g on g.id = m.group_id and g.status = 'merged' and g.canonical_id = l.merged_into
    where l.id = ${canonicalId} and l.status = 'deleted' limit 1`.execute(tx);
  const [later] = rows;
  if (later)
    throw conflict('The listing that was kept was itself merged into another one: unmerge that group first.', later);
}

async function findObstacle(tx: Tx, id: string, keptId: string): Promise<string | undefined> {
  const { rows } = await sql<{ is_merged: boolean; is_offered_again: boolean }>`
    select l.status = 'deleted' and l.merged_into = ${keptId} as is_merged, exists (
      select from listings o where o.seller_id = l.seller_id and o.content_hash = l.content_hash and o.status <> 'deleted') as is_offered_again
    from listings l where l.id = ${id}`.execute(tx);
  const [found] = rows;
  if (!found?.is_merged) return 'The listing is not merged into the one that was kept.';
  return found.is_offered_again ? 'Its seller offers the same text again.' : undefined;
}

async function restore(
  tx: Tx,
  services: DecideServices,
  listing: EventListing,
  { status, updated_at }: MergeUndo['members'][string],
): Promise<EventListing> {
  const set = { ...(await restoredStatus(tx, listing, status)), deleted_at: null, merged_into: null };
  const restored = await changeListing(tx, services, listing, { event: 'listing.updated', set });
  await sql`update listings set updated_at = ${updated_at}::timestamptz where id = ${listing.id}`.execute(tx);
  const pending = await tx
    .selectFrom('listing_images')
    .select('listing_id')
    .where('listing_id', '=', listing.id)
    .where('status', '=', 'pending')
    .limit(1)
    .executeTakeFirst();
  if (pending) await services.jobs.enqueue(tx, 'localize-images', { listing_id: listing.id }, { key: listing.id });
  return restored;
}

async function revertKept(
  tx: Tx,
  services: DecideServices,
  kept: EventListing,
  { kept: gain }: MergeUndo,
): Promise<void> {
  const current = await tx
    .selectFrom('listings')
    .select(['id', 'images', 'boat', 'version'])
    .where('id', '=', kept.id)
    .executeTakeFirstOrThrow();
  const { images, boat } = revertEnrichment(current as unknown as Enrichable, gain);
  const sources = await combineSources(tx, kept.id);
  const set = {
    images: JSON.stringify(images),
    boat: boat && JSON.stringify(boat),
    sources: sources && JSON.stringify(sources),
  };
  if (kept.status === 'deleted') {
    await tx.updateTable('listings').set(set).where('id', '=', kept.id).execute();
    return;
  }
  await changeListing(tx, services, kept, { event: 'listing.updated', set });
  if (current.version !== gain.version) return;
  await sql`update listings set updated_at = ${gain.updated_at}::timestamptz where id = ${kept.id}`.execute(tx);
}

/** The group claims its listings from groups that they wait in by now; those of no use any more wait nowhere. */
export async function reopen(
  tx: Tx,
  group: Pick<LockedGroup, 'id' | 'members'>,
  leaving: readonly string[],
  now: Date,
): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    select id from listings where id = any(${group.members}::text[]) and status = any(${OFFERED}::text[])`.execute(tx);
  const offered = rows.map(({ id }) => id);
  const { rows: robbed } = await sql<{ id: string }>`
    select id from dedup_groups where id <> ${group.id} and id in (
      select group_id from dedup_members where listing_id = any(${offered}::text[]) and open) order by id for update`.execute(
    tx,
  );
  const ids = robbed.map(({ id }) => id);
  await sql`delete from dedup_members where listing_id = any(${offered}::text[]) and group_id = any(${ids}::text[]) and open`.execute(
    tx,
  );
  await sql`delete from dedup_groups g where id = any(${ids}::text[]) and status = 'detected'
    and (select count(*) from dedup_members m where m.group_id = g.id) < 2`.execute(tx);
  await sql`delete from dedup_members where group_id = ${group.id} and listing_id = any(${leaving}::text[])`.execute(
    tx,
  );
  await sql`update dedup_members set open = true where group_id = ${group.id} and listing_id = any(${offered}::text[])`.execute(
    tx,
  );
  await sql`update dedup_groups set resolved_at = null, resolved_by = null, unmerged_at = ${now} where id = ${group.id}`.execute(
    tx,
  );
}
