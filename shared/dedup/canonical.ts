import { sql } from 'kysely';
import type { Database } from '../../db/client.ts';

/** What decides which listing of a group is kept. */
export type Candidate = {
  id: string;
  status: string;
  isPromoted: boolean;
  isScraped: boolean;
  /** Completeness, 0 to 12: images, attributes and text. */
  completeness: number;
  favorites: number;
  since: Date;
};

const ranks = ['active', 'paused', 'draft'];

/**
 * The listing of a group that is kept unless somebody chooses another: what is public comes first, under a running promotion,
 * offered here rather than found elsewhere, the most complete, the one most users keep, the oldest.
 */
export function electCanonical(candidates: readonly Candidate[]): string | undefined {
  const rank = ({ status }: Candidate) => ranks.indexOf(status);
  const [best] = candidates.toSorted(
    (a, b) =>
      rank(a) - rank(b) ||
      Number(b.isPromoted) - Number(a.isPromoted) ||
      Number(a.isScraped) - Number(b.isScraped) ||
      b.completeness - a.completeness ||
      b.favorites - a.favorites ||
      a.since.getTime() - b.since.getTime() ||
      (a.id < b.id ? -1 : 1),
  );
  return best?.id;
}

/** Those of the listings that are offered, or drafts, as candidates. */
export async function readCandidates(db: Database, listingIds: readonly string[], now: Date): Promise<Candidate[]> {
  const { rows } = await sql<Candidate>`
    select l.id, l.status, coalesce(l.premium_until > ${now}, false) as "isPromoted", l.source = 'scraped' as "isScraped",
      (least(jsonb_array_length(l.images), 5) + least((select count(*) from jsonb_object_keys(l.attributes)), 5)
       + case when length(l.description) >= 500 then 2 when length(l.description) >= 150 then 1 else 0 end)::int as completeness,
      (select count(*)::int from favorites f where f.listing_id = l.id) as favorites, l.sort_at as since
    from listings l where l.id = any(${listingIds}::text[]) and l.status in ('draft', 'active', 'paused')`.execute(db);
  return rows;
}
