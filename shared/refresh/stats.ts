import { sql, type Kysely } from 'kysely';
import type { DB } from '../../db/types.gen.ts';
import { addMilliseconds, DAY_MS } from '../kit/clock.ts';
import { isTracked, type RefreshScope } from './lease.ts';

type Counts = { total: number; due: number; leased: number; overdue: number };
type Looks = { refreshed_24h: number; changed_24h: number; gone_24h: number; failed_24h: number };
export type RefreshStats = Counts & Looks & { by_site: (Counts & Looks & { site: string })[] };

const SITES = 100;
const none: Looks = { refreshed_24h: 0, changed_24h: 0, gone_24h: 0, failed_24h: 0 };

/**
 * How the refreshing of pages goes: how many there are, are due (`overdue` for a day or longer) and are leased, and what the
 * looks of the last 24 hours came to; the same for the hundred sites with the most pages.
 */
export async function readRefreshStats(db: Kysely<DB>, { sellerId }: RefreshScope, now: Date): Promise<RefreshStats> {
  const isMine = sql`(${sellerId ?? null}::text is null or l.seller_id = ${sellerId ?? null})`;
  const dayAgo = addMilliseconds(now, -DAY_MS);
  const { rows: counts } = await sql<Counts & { site: string | null }>`
    select s.site, count(*)::int as total,
      count(*) filter (where s.due_at <= ${now} and coalesce(s.leased_until <= ${now}, true))::int as due,
      count(*) filter (where s.leased_until > ${now})::int as leased,
      count(*) filter (where s.due_at <= ${dayAgo} and coalesce(s.leased_until <= ${now}, true))::int as overdue
    from listing_sources s join listings l on l.id = s.listing_id
    where ${isTracked} and ${isMine} group by rollup (s.site)`.execute(db);
  const { rows: looks } = await sql<Looks & { site: string | null }>`
    select r.site, count(*)::int as refreshed_24h, count(*) filter (where r.outcome = 'changed')::int as changed_24h,
      count(*) filter (where r.outcome = 'gone')::int as gone_24h, count(*) filter (where r.outcome = 'failed')::int as failed_24h
    from refresh_looks r
    where r.looked_at > ${dayAgo} and (${sellerId ?? null}::text is null or exists (
      select from listings l where l.id = r.listing_id and l.seller_id = ${sellerId ?? null}))
    group by rollup (r.site)`.execute(db);
  const looksOf = new Map(looks.map(({ site, ...rest }) => [site, rest]));
  const noCounts: Counts = { total: 0, due: 0, leased: 0, overdue: 0 };
  const { site: _, ...all } = counts.find(({ site }) => site === null) ?? { site: null, ...noCounts };
  const bySite = counts.flatMap(({ site, ...rest }) =>
    site === null ? [] : [{ site, ...rest, ...(looksOf.get(site) ?? none) }],
  );
  const largest = bySite.toSorted((a, b) => b.total - a.total || (a.site < b.site ? -1 : 1)).slice(0, SITES);
  return { ...all, ...(looksOf.get(null) ?? none), by_site: largest };
}
