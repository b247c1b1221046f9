import type { Pool } from 'pg';
import type { Cursor } from './events.ts';
import { publicEvents, type PublicEvent } from './public-events.ts';

export type FeedEvent = {
  seq: number;
  type: PublicEvent;
  subject: string;
  created_at: Date;
  data: Record<string, unknown>;
  previous: Record<string, unknown> | null;
};

export type FeedQuery = {
  /** Whose events; everybody's when undefined. */
  ownerId: string | undefined;
  type?: PublicEvent | undefined;
  subject?: string | undefined;
  after: number;
  limit: number;
};

/** How many events one answer looks at, so that a filter that nothing passes costs no more than that. */
const MAX_LOOKED_AT = 10_000;

/** `looked_to` and `found` are the same in every row; without a find, the rest of the only row is null. */
type PageRow = FeedEvent & { looked_to: number | null; found: number };

const start: Cursor = { xid: '0', seq: 0 };

/**
 * The next events of the feed after a bookmark, which is the `seq` of the last event that was handed out, in the order of the
 * journal: only final ones, so going on from `nextAfter` misses none and repeats none, however commits interleave.
 */
export async function readFeed(pool: Pool, asked: FeedQuery): Promise<{ events: FeedEvent[]; nextAfter: number }> {
  const { ownerId, type, subject, after, limit } = asked;
  const place = await findPlace(pool, after);
  if (!place) return { events: [], nextAfter: after };
  const { rows } = await pool.query<PageRow>({
    name: ownerId === undefined ? 'feed-of-all' : 'feed-of-owner',
    text: ownerId === undefined ? pageOf('true') : pageOf('owner_id = $7'),
    values: [
      place.xid,
      place.seq,
      type === undefined ? publicEvents : [type],
      subject ?? null,
      limit,
      MAX_LOOKED_AT - 1,
      ...(ownerId === undefined ? [] : [ownerId]),
    ],
  });
  const [{ looked_to: lookedTo, found } = { looked_to: null, found: 0 }] = rows;
  const events = found === 0 ? [] : rows.map(toEvent);
  const isCutShort = events.length < limit && lookedTo !== null;
  return { events, nextAfter: isCutShort ? lookedTo : (events.at(-1)?.seq ?? after) };
}

const toEvent = ({ seq, type, subject, created_at, data, previous }: PageRow): FeedEvent => ({
  seq,
  type,
  subject,
  created_at,
  data,
  previous,
});

/** The page, and in `looked_to` how far was looked, where more follows; one row of nulls when there is nothing else to tell. */
const pageOf = (whose: string) => `
  with bound as materialized (
    select xid, seq from events
    where ${whose} and (xid, seq) > ($1::xid8, $2) and xid < pg_snapshot_xmin(pg_current_snapshot())
    order by xid, seq offset $6 limit 1),
  found as (
    select xid, seq, type, subject, created_at, data, previous from events
    where ${whose} and (xid, seq) > ($1::xid8, $2) and xid < pg_snapshot_xmin(pg_current_snapshot())
      and (xid, seq) <= (coalesce((select xid from bound), '18446744073709551615'::xid8),
                         coalesce((select seq from bound), 9223372036854775807))
      and type = any($3::text[]) and ($4::text is null or subject = $4)
    order by xid, seq limit $5)
  select f.seq, f.type, f.subject, f.created_at, f.data, f.previous, (select seq from bound) as looked_to,
    (select count(*)::int from found) as found
  from (select 1) as one left join found f on true order by f.xid, f.seq`;

/** The place in the journal that a bookmark names; undefined behind its end. */
async function findPlace(pool: Pool, after: number): Promise<Cursor | undefined> {
  if (after === 0) return start;
  const { rows } = await pool.query<{ xid: string | null; oldest: number | null; next: Cursor | null }>({
    name: 'feed-place',
    text: `select (select xid::text from events where seq = $1) as xid, (select min(seq) from events) as oldest,
             (select jsonb_build_object('xid', xid::text, 'seq', seq - 1) from events where seq > $1 order by seq limit 1) as next`,
    values: [after],
  });
  const { xid, oldest, next } = rows[0]!;
  if (xid !== null) return { xid, seq: after };
  // What it named has been purged, and everything older too: all that is left comes after it.
  if (oldest !== null && oldest > after) return start;
  return next ?? undefined;
}
