import { sql } from 'kysely';
import type { Database } from '../../db/client.ts';
import type { SubjectType } from '../notices/subject.ts';

/** A report as whoever made it sees it, with what came of it. */
export type OwnReport = {
  id: string;
  subject_type: SubjectType;
  subject_id: string;
  title: string | null;
  slug: string | null;
  reason: string;
  description: string | null;
  created_at: Date;
  settled: boolean;
  action: string | null;
  decided_at: Date | null;
};

const from = (reporterId: string) => sql`
  from flags f
  left join listings l on l.id = f.listing_id left join users u on u.id = f.user_id
  left join moderation_decisions d on d.id = f.decision_id
  where f.reporter_id = ${reporterId}`;

/** One page of somebody's reports, the newest first, and how many there are. */
export async function findOwnReports(
  db: Database,
  { reporterId, offset, limit }: { reporterId: string; offset: number; limit: number },
): Promise<{ rows: OwnReport[]; total: number }> {
  const [{ rows }, { rows: counted }] = await Promise.all([
    sql<OwnReport>`
      select f.id, case when f.listing_id is not null then 'listing' when f.user_id is not null then 'user'
          when f.review_id is not null then 'review' else 'message' end as subject_type,
        coalesce(f.listing_id, f.user_id, f.review_id, f.message_id) as subject_id,
        coalesce(l.title, u.name) as title, l.slug, f.reason, f.description, f.created_at, f.settled, d.action, d.decided_at
      ${from(reporterId)} order by f.created_at desc, f.id desc offset ${offset} limit ${limit}`.execute(db),
    sql<{ total: number }>`select count(*)::int as total from flags where reporter_id = ${reporterId}`.execute(db),
  ]);
  return { rows, total: counted[0]?.total ?? 0 };
}

/** What a reporter is told when their report was decided; undefined when it is gone, or open. */
export async function findReportToTell(
  db: Database,
  id: string,
): Promise<{ type: SubjectType; title: string; acted: boolean } | undefined> {
  const { rows } = await sql<{ type: SubjectType; title: string; acted: boolean }>`
    select d.subject_type as type, coalesce(l.title, '') as title, d.action <> 'dismiss' as acted
    from flags f join moderation_decisions d on d.id = f.decision_id left join listings l on l.id = f.listing_id
    where f.id = ${id}`.execute(db);
  return rows[0];
}

/** What came of a report, as its maker is told: nothing was done, or something was; null while it is open, or decided before decisions were kept. */
export function outcomeOf({
  settled,
  action,
}: Pick<OwnReport, 'settled' | 'action'>): 'open' | 'no_action' | 'acted' | 'closed' {
  if (!settled) return 'open';
  if (action === null) return 'closed';
  return action === 'dismiss' ? 'no_action' : 'acted';
}
