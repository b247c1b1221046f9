export const scamSignals = [
  'copied_images',
  'low_price',
  'copied_text',
  'contact_details',
  'velocity',
  'new_account',
] as const;

export type ScamSignal = (typeof scamSignals)[number];

/** What speaks for a scam, so that a person can check it. */
export type ScamEvidence = {
  signal: ScamSignal;
  /** What it adds to the score. */
  weight: number;
  /** A sentence with the facts. */
  reason: string;
  details: {
    /** The listings of others that it is about. */
    listings?: string[];
    /** How images were altered, for each that is somebody else's. */
    images?: { sha256: string; listing_id: string; changes: ImageChange[] }[];
    price?: { median: number; currency: string; ratio: number; listings: number };
    contacts?: {
      kind: 'email' | 'phone' | 'messenger';
      where: 'title' | 'description';
      disguised: boolean;
      masked: string;
    }[];
    published_within_hour?: number;
    account_age_days?: number;
  };
  /** What it rests on: it is the same evidence as long as these are. */
  keys: string[];
};

export type ImageChange = 'mirrored' | 'cropped' | 'rotated';

/** Evidence of which something is not yet approved; what is approved counts no more. */
export function uncleared(evidence: readonly ScamEvidence[], cleared: ReadonlySet<string>): ScamEvidence[] {
  return evidence.filter(({ keys }) => keys.some((key) => !cleared.has(key)));
}

/** The sum of the weights of the evidence. */
export const scoreOf = (evidence: readonly ScamEvidence[]) => evidence.reduce((sum, { weight }) => sum + weight, 0);
