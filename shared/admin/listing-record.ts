import { sql } from 'kysely';
import type { Database } from '../../db/client.ts';
import { scamCheckColumn, type ScamCheck } from '../listings/scam-check.ts';

export type HistoryEntry = {
  seq: number;
  type: string;
  created_at: Date;
  data: Record<string, unknown>;
  previous: Record<string, unknown> | null;
  fields: string[] | null;
  actor: { id: string; name: string; role: string } | null;
};
export type ReportRow = {
  id: string;
  reason: string;
  description: string | null;
  created_at: Date;
  reporter: { id: string; name: string };
};
export type SourcePage = {
  url: string;
  site: string;
  scraper: { id: string; name: string } | null;
  first_seen_at: Date;
  scraped_at: Date;
  times_read: number;
  misses: number;
  last_error: string | null;
};
export type GroupOf = { id: string; status: string; confidence: number; members: number };
export type SellerAccount = {
  id: string;
  name: string;
  email: string;
  role: string;
  type: string;
  verified: boolean;
  created_at: Date;
  listings: number;
};

const MAX_HISTORY = 200;
const MAX_REPORTS = 100;

/** What an administrator is told of a listing beside itself: its history from the journal, reports, seller, pages, duplicates. */
export async function readListingRecord(db: Database, { id, seller_id: sellerId }: { id: string; seller_id: string }) {
  const [history, reports, sellers, sources, groups, checks] = await Promise.all([
    readHistory(db, id),
    sql<ReportRow>`
      select f.id, f.reason, f.description, f.created_at, jsonb_build_object('id', u.id, 'name', u.name) as reporter
      from flags f join users u on u.id = f.reporter_id where f.listing_id = ${id}
      order by f.created_at desc, f.id desc limit ${MAX_REPORTS}`.execute(db),
    sql<SellerAccount>`
      select u.id, u.name, u.email, u.role, u.type, u.verified, u.created_at,
        (select count(*)::int from (select 1 from listings l where l.seller_id = u.id and l.status <> 'deleted' limit 10000) as c) as listings
      from users u where u.id = ${sellerId}`.execute(db),
    sql<SourcePage>`
      select s.url, s.site, s.first_seen_at, s.scraped_at, s.scrape_count as times_read, s.misses, s.last_error,
        case when c.id is not null then jsonb_build_object('id', c.id, 'name', c.name) end as scraper
      from listing_sources s left join scrapers c on c.id = s.scraper_id where s.listing_id = ${id}`.execute(db),
    sql<GroupOf>`
      select g.id, g.status, g.confidence, (select count(*)::int from dedup_members o where o.group_id = g.id) as members
      from dedup_members m join dedup_groups g on g.id = m.group_id where m.listing_id = ${id}
      order by g.detected_at desc limit 20`.execute(db),
    sql<{
      scam_check: ScamCheck | null;
    }>`select ${sql.raw(scamCheckColumn)} from listings l where l.id = ${id}`.execute(db),
  ]);
  return {
    history,
    reports: reports.rows,
    seller: sellers.rows[0],
    sources: sources.rows,
    groups: groups.rows,
    scamCheck: checks.rows[0]?.scam_check ?? null,
  };
}

/** What the journal knows of a listing, the newest first: events are kept for 90 days. */
async function readHistory(db: Database, id: string): Promise<HistoryEntry[]> {
  const { rows } = await sql<HistoryEntry>`
    select e.seq, e.type, e.created_at, e.data, e.previous, e.fields,
      case when u.id is not null then jsonb_build_object('id', u.id, 'name', u.name, 'role', u.role) end as actor
    from events e left join users u on u.id = e.actor_id where e.subject = ${id} order by e.seq desc limit ${MAX_HISTORY}`.execute(
    db,
  );
  return rows;
}
