import type { Database } from '../../db/client.ts';

const columns = [
  'n.id',
  'n.user_id',
  'u.name as user_name',
  'n.subject_type',
  'n.subject_id',
  'n.subject_title',
  'n.restriction',
  'n.until',
  'n.facts',
  'n.reports',
  'n.automated_detection',
  'n.automated_decision',
  'n.ground',
  'n.rule',
  'n.explanation',
  'n.decided_by',
  'n.created_at',
  'n.lifted_at',
  'a.id as appeal_id',
  'a.text as appeal_text',
  'a.created_at as appealed_at',
  'a.outcome',
  'a.answer',
  'a.decided_by as appeal_decided_by',
  'a.decided_at as appeal_decided_at',
] as const;

const selectNotices = (db: Database) =>
  db
    .selectFrom('notices as n')
    .innerJoin('users as u', 'u.id', 'n.user_id')
    .leftJoin('appeals as a', 'a.notice_id', 'n.id')
    .select(columns);

/** A statement of reasons with its appeal, where there is one. */
export type NoticeRow = Awaited<ReturnType<ReturnType<typeof selectNotices>['executeTakeFirstOrThrow']>>;

/** One page of what somebody was told, the newest first, and how many there are. */
export async function findOwnNotices(
  db: Database,
  { userId, offset, limit }: { userId: string; offset: number; limit: number },
): Promise<{ rows: NoticeRow[]; total: number }> {
  const [rows, { total }] = await Promise.all([
    selectNotices(db)
      .where('n.user_id', '=', userId)
      .orderBy('n.created_at', 'desc')
      .orderBy('n.id', 'desc')
      .offset(offset)
      .limit(limit)
      .execute(),
    db
      .selectFrom('notices')
      .select((build) => build.cast<number>(build.fn.countAll(), 'integer').as('total'))
      .where('user_id', '=', userId)
      .executeTakeFirstOrThrow(),
  ]);
  return { rows, total };
}

/** A notice by its id; undefined when there is none. */
export const findNotice = (db: Database, id: string): Promise<NoticeRow | undefined> =>
  selectNotices(db).where('n.id', '=', id).executeTakeFirst();

/** The newest notices about a thing. */
export const findNoticesAbout = (db: Database, subjectId: string, limit: number): Promise<NoticeRow[]> =>
  selectNotices(db)
    .where('n.subject_id', '=', subjectId)
    .orderBy('n.created_at', 'desc')
    .orderBy('n.id', 'desc')
    .limit(limit)
    .execute();

/** One page of appeals: the open ones, the longest waiting first, or the decided ones, the newest first; and how many there are. */
export async function findAppeals(
  db: Database,
  { isOpen, offset, limit }: { isOpen: boolean; offset: number; limit: number },
): Promise<{ rows: NoticeRow[]; total: number }> {
  const [rows, { total }] = await Promise.all([
    selectNotices(db)
      .where('a.id', 'is not', null)
      .where('a.outcome', isOpen ? 'is' : 'is not', null)
      .orderBy('a.created_at', isOpen ? 'asc' : 'desc')
      .orderBy('a.id')
      .offset(offset)
      .limit(limit)
      .execute(),
    db
      .selectFrom('appeals')
      .select((build) => build.cast<number>(build.fn.countAll(), 'integer').as('total'))
      .where('outcome', isOpen ? 'is' : 'is not', null)
      .executeTakeFirstOrThrow(),
  ]);
  return { rows, total };
}
