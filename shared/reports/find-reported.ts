import { sql } from 'kysely';
import type { Database } from '../../db/client.ts';
import { subjectColumns, type SubjectType } from '../notices/subject.ts';
import { describeSubjects, type DescribedSubject } from './describe-subjects.ts';

type Group = {
  subject_id: string;
  count: number;
  reasons: Record<string, number>;
  first_at: Date | null;
  last_at: Date | null;
  proposed: boolean;
  decision_id: string | null;
  action: string | null;
  decided_by: string | null;
  decided_at: Date | null;
};
/** The reports of one thing, together. */
export type ReportGroup = Group & { subject: DescribedSubject };

type PageOfReports = { state: 'open' | 'decided'; type?: SubjectType | undefined; offset: number; limit: number };

const subjectId = sql`coalesce(f.listing_id, f.user_id, f.review_id, f.message_id)`;
const ofType = (type: SubjectType | undefined) =>
  type === undefined ? sql`true` : sql`f.${sql.ref(subjectColumns[type])} is not null`;

/**
 * One page of what is reported, each thing once: what most people have reported first, or what was decided last first; and how many
 * there are.
 */
export async function findReported(
  db: Database,
  asked: PageOfReports,
): Promise<{ rows: ReportGroup[]; total: number }> {
  const { rows, total } = asked.state === 'open' ? await findOpen(db, asked) : await findDecided(db, asked);
  const subjects = await describeSubjects(
    db,
    rows.map((row) => row.subject_id),
  );
  return {
    rows: rows.flatMap((row) => {
      const subject = subjects.get(row.subject_id);
      return subject ? { ...row, subject } : [];
    }),
    total,
  };
}

const counted = sql`
  select subject_id, sum(n)::int as count, jsonb_object_agg(reason, n) as reasons, min(first_at) as first_at, max(last_at) as last_at
  from by_reason group by subject_id`;
const byReason = (where: ReturnType<typeof sql>) => sql`
  by_reason as (
    select ${subjectId} as subject_id, f.reason, count(*)::int as n, min(f.created_at) as first_at, max(f.created_at) as last_at
    from flags f where ${where} group by 1, 2)`;

async function findOpen(
  db: Database,
  { type, offset, limit }: PageOfReports,
): Promise<{ rows: Group[]; total: number }> {
  const { rows } = await sql<Group & { total: number }>`
    with ${byReason(sql`not f.settled and ${ofType(type)}`)}, groups as (${counted})
    select groups.*, count(*) over ()::int as total,
      exists (select from moderation_decisions d where d.subject_id = groups.subject_id and d.action = 'propose_suspension'
        and d.decided_at >= groups.first_at) as proposed,
      null::text as decision_id, null::text as action, null::text as decided_by, null::timestamptz as decided_at
    from groups order by count desc, first_at, subject_id offset ${offset} limit ${limit}`.execute(db);
  const { rows: all } = rows.length > 0 || offset === 0 ? { rows: [] } : await countOpen(db, type);
  return { rows, total: rows[0]?.total ?? all[0]?.total ?? 0 };
}

const countOpen = (db: Database, type: SubjectType | undefined) =>
  sql<{ total: number }>`
    select count(distinct ${subjectId})::int as total from flags f where not f.settled and ${ofType(type)}`.execute(db);

async function findDecided(
  db: Database,
  { type, offset, limit }: PageOfReports,
): Promise<{ rows: Group[]; total: number }> {
  const where = type === undefined ? sql`true` : sql`d.subject_type = ${type}`;
  const [{ rows }, { rows: all }] = await Promise.all([
    sql<Group>`
      select d.subject_id, coalesce(sum(r.n), 0)::int as count, coalesce(jsonb_object_agg(r.reason, r.n) filter (where r.reason is not null), '{}') as reasons,
        min(r.first_at) as first_at, max(r.last_at) as last_at, false as proposed,
        d.id as decision_id, d.action, d.decided_by, d.decided_at
      from (select * from moderation_decisions d where ${where} and d.action <> 'propose_suspension'
        order by d.decided_at desc, d.id desc offset ${offset} limit ${limit}) d
      left join lateral (
        select f.reason, count(*)::int as n, min(f.created_at) as first_at, max(f.created_at) as last_at
        from flags f where ${subjectId} = d.subject_id and f.decision_id = d.id group by f.reason) r on true
      group by d.subject_id, d.id, d.action, d.decided_by, d.decided_at
      order by d.decided_at desc, d.id desc`.execute(db),
    sql<{ total: number }>`
      select count(*)::int as total from moderation_decisions d where ${where} and d.action <> 'propose_suspension'`.execute(
      db,
    ),
  ]);
  return { rows, total: all[0]?.total ?? 0 };
}
