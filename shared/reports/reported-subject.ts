import { sql } from 'kysely';
import type { Database } from '../../db/client.ts';
import { findNoticesAbout, type NoticeRow } from '../notices/find-notices.ts';
import { subjectColumns, type Subject } from '../notices/subject.ts';
import { describeSubjects, type DescribedSubject } from './describe-subjects.ts';

const SHOWN = 100;
const HISTORY = 50;
/** The messages around a reported one that moderators read with it. */
const BEFORE = 10;
const AFTER = 5;

export type ReportRow = {
  id: string;
  reason: string;
  description: string | null;
  reporter_id: string;
  reporter_name: string;
  reporter_since: Date;
  settled: boolean;
  created_at: Date;
};
export type ContextMessage = { id: string; sender_id: string; sender_name: string; content: string; created_at: Date };
export type DecisionRow = {
  id: string;
  action: string;
  note: string | null;
  decided_by: string | null;
  decided_at: Date;
};

/** A thing with all that moderators need to decide about the reports of it. */
export type ReportedSubject = {
  subject: DescribedSubject;
  reports: ReportRow[];
  context: ContextMessage[];
  decisions: DecisionRow[];
  notices: NoticeRow[];
  /** What the owner was told before, about whatever it was. */
  ownerNotices: number;
};

/** What was reported of a thing, and decided; undefined for what nobody has reported: nothing else is to be looked at this way. */
export async function readReportedSubject(db: Database, asked: Subject): Promise<ReportedSubject | undefined> {
  const [reports, subjects] = await Promise.all([findReportsOf(db, asked), describeSubjects(db, [asked.id])]);
  const subject = subjects.get(asked.id);
  if (!subject || reports.length === 0) return undefined;
  const [context, decisions, notices, { total }] = await Promise.all([
    asked.type === 'message' ? findContext(db, asked.id) : [],
    findDecisions(db, asked.id),
    findNoticesAbout(db, asked.id, HISTORY),
    db
      .selectFrom('notices')
      .select((build) => build.cast<number>(build.fn.countAll(), 'integer').as('total'))
      .where('user_id', '=', subject.owner_id)
      .executeTakeFirstOrThrow(),
  ]);
  return { subject, reports, context, decisions, notices, ownerNotices: total };
}

const findReportsOf = (db: Database, { type, id }: Subject): Promise<ReportRow[]> =>
  db
    .selectFrom('flags as f')
    .innerJoin('users as u', 'u.id', 'f.reporter_id')
    .select([
      'f.id',
      'f.reason',
      'f.description',
      'f.reporter_id',
      'u.name as reporter_name',
      'u.created_at as reporter_since',
      'f.settled',
      'f.created_at',
    ])
    .where(`f.${subjectColumns[type]}`, '=', id)
    .orderBy('f.settled')
    .orderBy('f.created_at', 'desc')
    .orderBy('f.id', 'desc')
    .limit(SHOWN)
    .execute();

const findDecisions = (db: Database, id: string): Promise<DecisionRow[]> =>
  db
    .selectFrom('moderation_decisions')
    .select(['id', 'action', 'note', 'decided_by', 'decided_at'])
    .where('subject_id', '=', id)
    .orderBy('decided_at', 'desc')
    .orderBy('id', 'desc')
    .limit(HISTORY)
    .execute();

async function findContext(db: Database, id: string): Promise<ContextMessage[]> {
  const { rows } = await sql<ContextMessage>`
    with it as (select conversation_id from messages where id = ${id}), around as (
      (select m.* from messages m, it where m.conversation_id = it.conversation_id and m.id <= ${id} order by m.id desc limit ${BEFORE + 1})
      union all
      (select m.* from messages m, it where m.conversation_id = it.conversation_id and m.id > ${id} order by m.id limit ${AFTER}))
    select m.id, m.sender_id, u.name as sender_name, m.content, m.created_at
    from around m join users u on u.id = m.sender_id order by m.id`.execute(db);
  return rows;
}
