import { sql, type RawBuilder } from 'kysely';
import type { Database } from '../../db/client.ts';
import type { ReportReason, SubjectType } from '../notices/subject.ts';
import { describeSubjects } from './describe-subjects.ts';

/** A report with what it is about, as administrators see it; the title is empty of what is gone for good. */
export type PersonReport = {
  id: string;
  subject: { type: SubjectType; id: string; title: string };
  reason: ReportReason;
  text: string | null;
  settled: boolean;
  reporter: { id: string; name: string };
  created_at: Date;
};
/** The reports of a person and of what the person has made, and those that the person has made. */
export type ReportsOfPerson = { received: PersonReport[]; made: PersonReport[]; receivedCount: number };

type Found = Omit<PersonReport, 'subject'> & { subject_type: SubjectType; subject_id: string };

const SHOWN = 20;
/** What is counted is counted so far. */
const MAX_COUNTED = 10_000;

/** The newest reports of a person, of their listings, reviews and messages, with how many there are, and the newest by them. */
export async function readReportsOfPerson(db: Database, userId: string): Promise<ReportsOfPerson> {
  const [received, made, { rows: counted }] = await Promise.all([
    findReports(db, about(userId)),
    findReports(db, sql`select * from flags where reporter_id = ${userId}`),
    sql<{
      n: number;
    }>`select count(*)::int as n from (select from (${about(userId)}) as f limit ${MAX_COUNTED}) as c`.execute(db),
  ]);
  const subjects = await describeSubjects(db, [...new Set([...received, ...made].map((row) => row.subject_id))]);
  const present = ({ subject_type: type, subject_id: id, ...report }: Found): PersonReport => ({
    ...report,
    subject: { type, id, title: subjects.get(id)?.title ?? '' },
  });
  return { received: received.map(present), made: made.map(present), receivedCount: counted[0]?.n ?? 0 };
}

/** The reports of a person and of what they have published or written. */
const about = (userId: string) => sql`
  select f.* from listings l join flags f on f.listing_id = l.id where l.seller_id = ${userId}
  union all
  select f.* from flags f where f.user_id = ${userId}
  union all
  select f.* from reviews r join flags f on f.review_id = r.id where r.reviewer_id = ${userId}
  union all
  select f.* from messages m join flags f on f.message_id = m.id where m.sender_id = ${userId}`;

async function findReports(db: Database, reports: RawBuilder<unknown>): Promise<Found[]> {
  const { rows } = await sql<Found>`
    select f.id, case when f.listing_id is not null then 'listing' when f.user_id is not null then 'user'
        when f.review_id is not null then 'review' else 'message' end as subject_type,
      coalesce(f.listing_id, f.user_id, f.review_id, f.message_id) as subject_id, f.reason, f.description as text, f.settled,
      jsonb_build_object('id', u.id, 'name', u.name) as reporter, f.created_at
    from (${reports}) as f join users u on u.id = f.reporter_id
    order by f.created_at desc, f.id desc limit ${SHOWN}`.execute(db);
  return rows;
}
