import { sql } from 'kysely';
import { conflict, invalid, ServiceError } from '../kit/errors.ts';
import type { Tx } from '../queues/jobs.ts';
import { changeListing } from '../listings/change.ts';
import { moveAttachments, type Attachments } from './attachments.ts';
import { electCanonical, readCandidates } from './canonical.ts';
import { enrich, type Enrichment } from './enrich.ts';
import { withLockedGroup, requireUndecided, type DecideServices, type LockedGroup } from './lock-group.ts';
import { findUnproven } from './prove.ts';
import { combineSources } from './sources.ts';
import { mailMergedOwners } from './mail-merged.ts';

/** What a merge has changed, so that it can be taken back. */
export type MergeUndo = {
  kept: Enrichment;
  members: Record<string, Attachments & { status: string; updated_at: string }>;
};

export type Merge = { groupId: string; canonicalId?: string | undefined; by: string | null };

/**
 * Merges an undecided group into one listing, in one transaction: that of `canonicalId`, else the one that is elected. `by` is
 * the admin who decides, null for an automatic merge, which a group refuses that was unmerged once, or whose listings nothing
 * proves to be one object of one seller. 404 for an unknown group; 409 for one that is decided or of which less than two listings
 * are offered; 400 for a canonical listing that is no member.
 */
export async function mergeGroup(services: DecideServices, { groupId, canonicalId, by }: Merge): Promise<void> {
  await withLockedGroup(services, groupId, async (tx, group) => {
    requireUndecided(group);
    if (by === null && group.isUnmerged)
      throw conflict('Somebody has unmerged this group: it is not merged again without a decision.');
    if (canonicalId !== undefined && !group.members.includes(canonicalId))
      throw invalid('Only a listing of the group can be kept.', [
        { path: '/body/canonical_id', message: 'is no member of the group' },
      ]);
    await mergeLocked(tx, services, group, { canonicalId, by });
    await mailMergedOwners(tx, services, group.members);
  });
}

/** Nothing proves that the listings of a group are one object: only people may merge it. */
export class Unproven extends ServiceError {
  constructor(listingIds: readonly string[]) {
    super('conflict', 'Nothing proves that these listings offer one object.', { details: { listing_ids: listingIds } });
  }
}

/** Whether two of these listings are what different owners have made of one page. */
async function isContested(tx: Tx, listingIds: readonly string[]): Promise<boolean> {
  const { rows } = await sql`
    select from listing_sources where listing_id = any(${listingIds}::text[])
    group by normalized_url having count(distinct owner) > 1 limit 1`.execute(tx);
  return rows.length > 0;
}

/**
 * Merges what is offered of a locked group; members that are not stay as they are. Where nobody decides (`by` is null), each has
 * to be proven to be one object with the kept one, or none is merged: Unproven.
 */
export async function mergeLocked(
  tx: Tx,
  services: DecideServices,
  group: Pick<LockedGroup, 'id' | 'members' | 'listings'>,
  { canonicalId, by }: Pick<Merge, 'canonicalId' | 'by'>,
): Promise<void> {
  const now = services.clock.now();
  const candidates = await readCandidates(tx, group.members, now);
  const keptId = canonicalId ?? electCanonical(candidates);
  if (keptId === undefined || candidates.length < 2)
    throw conflict('Fewer than two listings of the group are still on offer.');
  if (!candidates.some(({ id }) => id === keptId)) throw conflict('The listing to keep is not on offer any more.');
  const others = candidates.map(({ id }) => id).filter((id) => id !== keptId);
  if (by === null) {
    // Whose page it is has to be decided before anything is merged into another seller's listing.
    const unproven = (await isContested(tx, group.members)) ? others : await findUnproven(tx, keptId, others);
    if (unproven.length > 0) throw new Unproven(unproven);
  }
  await tx.updateTable('dedup_members').set({ open: false }).where('group_id', '=', group.id).execute();
  await tx
    .updateTable('dedup_groups')
    .set({ status: 'merged', canonical_id: keptId, resolved_at: now, resolved_by: by })
    .where('id', '=', group.id)
    .execute();
  const { kept, added } = await enrich(tx, keptId, others);
  const before = await readPlain(tx, [keptId, ...others]);
  const members: MergeUndo['members'] = {};
  for (const id of others.toSorted()) {
    const { status, updated_at } = before.get(id) ?? lost(id);
    members[id] = { status, updated_at, ...(await absorb(tx, services, group, { id, keptId })) };
  }
  const set = {
    images: JSON.stringify(kept.images),
    boat: kept.boat && JSON.stringify(kept.boat),
    sources: JSON.stringify(await combineSources(tx, keptId)),
  };
  await changeListing(tx, services, group.listings.get(keptId) ?? lost(keptId), { event: 'listing.updated', set });
  const { version, updated_at, boat } = before.get(keptId) ?? lost(keptId);
  const gain: Enrichment = {
    images: added,
    boat: { before: boat, after: kept.boat },
    updated_at,
    version: version + 1,
  };
  const undo: MergeUndo = { kept: gain, members };
  await tx
    .updateTable('dedup_groups')
    .set({ undo: JSON.stringify(undo) })
    .where('id', '=', group.id)
    .execute();
}

/** The listing is deleted, and tells where it went; what users have attached to it goes there. */
async function absorb(
  tx: Tx,
  services: DecideServices,
  { listings }: Pick<LockedGroup, 'listings'>,
  { id, keptId }: { id: string; keptId: string },
): Promise<Attachments> {
  const [from, to] = [listings.get(id) ?? lost(id), listings.get(keptId) ?? lost(keptId)];
  const set = { status: 'deleted', deleted_at: services.clock.now(), merged_into: keptId };
  await changeListing(tx, services, from, { event: 'listing.deleted', set });
  return moveAttachments(tx, from, to);
}

type Plain = { id: string; status: string; updated_at: string; version: number; boat: Enrichment['boat']['before'] };

async function readPlain(tx: Tx, ids: readonly string[]): Promise<Map<string, Plain>> {
  const { rows } = await sql<Plain>`
    select id, status, updated_at::text, version, boat from listings where id = any(${ids}::text[])`.execute(tx);
  return new Map(rows.map((row) => [row.id, row]));
}

function lost(id: string): never {
  throw new Error(`the listing ${id} is locked and not there`);
}
