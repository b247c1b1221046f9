import type { GroupRow, MemberRow } from '../../shared/dedup/read-groups.ts';
import type { NotRestored } from '../../shared/dedup/unmerge.ts';
import type { Result } from '../http/types.ts';
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

function presentMember(member: MemberRow, view: View): Group['members'][number] {
  const { listing_id, score, evidence, favorites, site, url, card } = member;
  return { listing_id, listing: card ? presentCard(card, view) : null, score, evidence, favorites, site, url };
}
