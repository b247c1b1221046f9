/** What was found in a listing that speaks for a scam, as it is stored: see shared/scams. */
export type ScamCheck = {
  /** The sum of the weights of what nobody has approved. */
  score: number;
  evidence: {
    signal: string;
    weight: number;
    reason: string;
    details: Record<string, unknown>;
    /** Somebody has approved the listing with it. */
    cleared: boolean;
  }[];
  held_at: string | null;
  checked_at: string;
};

/** The last check of listing `l` for signs of a scam, as one value; null where there was none, or it found nothing. */
export const scamCheckColumn = `(
    select jsonb_build_object('score', c.score, 'checked_at', c.checked_at, 'held_at', c.held_at, 'evidence', (
      select jsonb_agg(e.each - 'keys' || jsonb_build_object('cleared', c.cleared @> array(
        select jsonb_array_elements_text(e.each -> 'keys'))) order by e.at)
      from jsonb_array_elements(c.evidence) with ordinality as e (each, at)))
    from scam_checks c where c.listing_id = l.id and c.evidence <> '[]') as scam_check`;
