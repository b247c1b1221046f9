import type { Database } from '../../db/client.ts';
import type { GroupRow, MemberRow } from '../../shared/dedup/read-groups.ts';
import type { NotRestored } from '../../shared/dedup/unmerge.ts';
import type { Result } from '../http/types.ts';
import { withAllPageClaims } from '../listings/page-claims.ts';
import { presentCard, type View } from '../listings/present.ts';

export type Group = Result<'getDedupGroup', 200>;

/** DedupGroup of openapi.yaml. */
export function presentGroup(row: GroupRow, view: View, notRestored?: NotRestored[]): Group {
  const { id, status, confidence, reasons, canonical_id, members, detected_at, resolved_at, resolved_by } = row;
  return {
    id,
    status,
    confidence,
    reasons,
    canonical_id,
    members: members.map((member) => presentMember(member, view)),
    detected_at: detected_at.toISOString(),
    resolved_at: resolved_at?.toISOString() ?? null,
    resolved_by,
    ...(notRestored && { not_restored: notRestored }),
  };
}

/** Groups whose scraped members tell who claims their pages. */
export async function withMemberClaims(db: Database, groups: readonly Group[]): Promise<Group[]> {
  const members = groups.flatMap((group) => group.members);
  const listings = await withAllPageClaims(
    db,
    members.flatMap(({ listing }) => listing ?? []),
  );
  const byId = new Map(listings.map((listing) => [listing.id, listing]));
  return groups.map((group) => ({
    ...group,
    members: group.members.map((member) => ({ ...member, listing: byId.get(member.listing_id) ?? null })),
  }));
}

function presentMember(member: MemberRow, view: View): Group['members'][number] {
  const { listing_id, score, evidence, favorites, site, url, card } = member;
  return { listing_id, listing: card ? presentCard(card, view) : null, score, evidence, favorites, site, url };
}
