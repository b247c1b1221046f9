import { sql } from 'kysely';
import type { Database } from '../../db/client.ts';
import type { SubjectType } from '../notices/subject.ts';

/** What a report is about, as moderators see it. */
export type DescribedSubject = {
  id: string;
  type: SubjectType;
  /** The title of the listing that it is, or hangs on; a person's name. */
  title: string;
  /** What was written, cut. */
  text: string | null;
  status: string;
  slug: string | null;
  owner_id: string;
  owner_name: string;
};

const EXCERPT = 500;

/** What these ids stand for, by id; what is gone for good is missing. */
export async function describeSubjects(db: Database, ids: readonly string[]): Promise<Map<string, DescribedSubject>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<DescribedSubject>`
    with asked as (select unnest(${[...ids]}::text[]) as id)
    select l.id, 'listing' as type, l.title, left(l.description, ${EXCERPT}) as text, l.status, l.slug, u.id as owner_id, u.name as owner_name
    from asked join listings l on l.id = asked.id join users u on u.id = l.seller_id
    union all
    select u.id, 'user', u.name, null, case when u.disabled_at is null then 'active' else 'suspended' end, null, u.id, u.name
    from asked join users u on u.id = asked.id
    union all
    select r.id, 'review', coalesce(l.title, ''), left(r.comment, ${EXCERPT}), case when r.removed_at is null then 'active' else 'removed' end,
      l.slug, u.id, u.name
    from asked join reviews r on r.id = asked.id join users u on u.id = r.reviewer_id left join listings l on l.id = r.listing_id
    union all
    select m.id, 'message', c.listing_title, left(m.content, ${EXCERPT}), case when m.removed_at is null then 'active' else 'removed' end,
      null, u.id, u.name
    from asked join messages m on m.id = asked.id join conversations c on c.id = m.conversation_id join users u on u.id = m.sender_id`.execute(
    db,
  );
  return new Map(rows.map((row) => [row.id, row]));
}
