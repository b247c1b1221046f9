import type { ScamCheck } from '../../shared/listings/scam-check.ts';
import type { Result } from '../http/types.ts';

type Shown = Result<'listFlagged', 200>['results'][number]['scam_check'];

/** What was found in a listing that speaks for a scam, for moderators alone. */
export function presentScamCheck(check: ScamCheck | null): Shown {
  if (!check) return null;
  const { score, held_at, checked_at, evidence } = check;
  return {
    score,
    held_at: held_at && new Date(held_at).toISOString(),
    checked_at: new Date(checked_at).toISOString(),
    evidence: evidence as NonNullable<Shown>['evidence'],
  };
}
