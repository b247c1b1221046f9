import type { Pool } from 'pg';
import { cardColumns, cardJoins, cardTypes, type CardRow } from './card.ts';
import { scamCheckColumn, type ScamCheck } from './scam-check.ts';

type Page = { offset: number; limit: number };

/** A listing as lists show it, in the words of its owner, with what moderation doubts about it and since when. */
export type DoubtfulRow = CardRow & {
  reasons: { code: string; message: string }[];
  since: string;
  scam_check: ScamCheck | null;
};

export type FlagRow = {
  id: string;
  reason: string;
  description: string | null;
  reporter: { id: string; name: string };
  created_at: string;
};
/** A flagged or reported listing as lists show it, with its newest reports and the number of all. */
export type FlaggedRow = CardRow & { flags: FlagRow[]; count: number; scam_check: ScamCheck | null };

const FLAGS_SHOWN = 100;

// The placeholder of the locale: no listing is rewritten in none, so that the owner's own words are shown.
const ORIGINAL = `''`;

const isDoubtful = `l.status in ('draft', 'active') and l.moderation ->> 'verdict' = 'review'`;

const doubtfulText = `with page as (
    select l.id, coalesce(l.moderation ->> 'judged_at', '') as judged_at from listings l where ${isDoubtful}
    order by judged_at, l.id limit $1 offset $2
  )
  select ${cardColumns}, l.moderation -> 'reasons' as reasons, page.judged_at, ${scamCheckColumn}
  from page join listings l on l.id = page.id ${cardJoins(ORIGINAL)} order by page.judged_at, l.id`;

// What is hidden, and what was reported and nobody has decided about.
const isReported = `l.status <> 'deleted' and l.id in (
  select id from listings where status = 'flagged'
  union select f.listing_id from flags f where not f.settled and f.listing_id is not null)`;

const flaggedText = `with page as (
    select l.id, coalesce(newest.created_at, l.updated_at) as flagged_at, newest.count
    from listings l
    cross join lateral (select max(created_at) as created_at, count(*) as count from flags where listing_id = l.id) newest
    where ${isReported}
    order by flagged_at desc, l.id desc limit $1 offset $2
  )
  select ${cardColumns}, page.count, coalesce(f.flags, '[]') as flags, ${scamCheckColumn}
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

/** One page of the listings that are flagged or have open reports, the one reported last first, and the number of all. */
export async function readFlagged(pool: Pool, { offset, limit }: Page): Promise<{ rows: FlaggedRow[]; total: number }> {
  const [found, total] = await Promise.all([
    pool.query<FlaggedRow>({ text: flaggedText, values: [limit, offset], types: cardTypes }),
    count(pool, isReported),
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
