import type { Pool } from 'pg';
import { cardColumns, cardJoins, cardTypes, type CardRow } from './card.ts';

type Page = { offset: number; limit: number };

/** A listing as lists show it, in the words of its owner, with what moderation doubts about it and since when. */
export type DoubtfulRow = CardRow & { reasons: { code: string; message: string }[]; since: string };

export type FlagRow = {
  id: string;
  reason: string;
  description: string | null;
  reporter: { id: string; name: string };
  created_at: string;
};
/** A flagged listing as lists show it, with its newest reports and the number of all. */
export type FlaggedRow = CardRow & { flags: FlagRow[]; count: number };

const FLAGS_SHOWN = 100;

// The placeholder of the locale: no listing is rewritten in none, so that the owner's own words are shown.
const ORIGINAL = `''`;

const isDoubtful = `l.status in ('draft', 'active') and l.moderation ->> 'verdict' = 'review'`;

const doubtfulText = `with page as (
    select l.id, coalesce(l.moderation ->> 'judged_at', '') as judged_at from listings l where ${isDoubtful}
    order by judged_at, l.id limit $1 offset $2
  )
  select ${cardColumns}, l.moderation -> 'reasons' as reasons, page.judged_at
  from page join listings l on l.id = page.id ${cardJoins(ORIGINAL)} order by page.judged_at, l.id`;

const flaggedText = `with page as (
    select l.id, coalesce(newest.created_at, l.updated_at) as flagged_at, newest.count
    from listings l
    cross join lateral (select max(created_at) as created_at, count(*) as count from flags where listing_id = l.id) newest
    where l.status = 'flagged'
    order by flagged_at desc, l.id desc limit $1 offset $2
  )
  select ${cardColumns}, page.count, coalesce(f.flags, '[]') as flags
  from page join listings l on l.id = page.id ${cardJoins(ORIGINAL)}
  left join lateral (
    select jsonb_agg(jsonb_build_object('id', f.id, 'reason', f.reason, 'description', f.description, 'created_at', f.created_at,
      'reporter', jsonb_build_object('id', u.id, 'name', u.name)) order by f.created_at desc, f.id desc) as flags
    from (select * from flags where listing_id = l.id order by created_at desc, id desc limit ${FLAGS_SHOWN}) f
    join users u on u.id = f.reporter_id
  ) f on true
  order by page.flagged_at desc, l.id desc`;

/** One page of the drafts and active listings whose text is doubtful, the longest judged first, and the number of all. */
export async function readDoubtful(
  pool: Pool,
  { offset, limit }: Page,
): Promise<{ rows: DoubtfulRow[]; total: number }> {
  const [found, total] = await Promise.all([
    pool.query<Omit<DoubtfulRow, 'since'> & { judged_at: string }>({
      text: doubtfulText,
      values: [limit, offset],
      types: cardTypes,
    }),
    count(pool, isDoubtful),
  ]);
  const rows = found.rows.map(({ judged_at, ...row }) => ({ ...row, since: judged_at || isoText(row.updated_at) }));
  return { rows, total };
}

/** One page of the flagged listings, the one reported last first, and the number of all. */
export async function readFlagged(pool: Pool, { offset, limit }: Page): Promise<{ rows: FlaggedRow[]; total: number }> {
  const [found, total] = await Promise.all([
    pool.query<FlaggedRow>({ text: flaggedText, values: [limit, offset], types: cardTypes }),
    count(pool, `l.status = 'flagged'`),
  ]);
  const rows = found.rows.map((row) => ({
    ...row,
    flags: row.flags.map((flag) => ({ ...flag, created_at: new Date(flag.created_at).toISOString() })),
  }));
  return { rows, total };
}

async function count(pool: Pool, condition: string): Promise<number> {
  const { rows } = await pool.query<{ total: number }>(
    `select count(*)::int as total from listings l where ${condition}`,
  );
  return rows[0]?.total ?? 0;
}

const isoText = (at: Date | string) => (typeof at === 'string' ? at : at.toISOString());
