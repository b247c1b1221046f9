import { sql, type RawBuilder } from 'kysely';
import type { Database } from '../../db/client.ts';
import { readAccountAccess, readAccountHistory } from './account-access.ts';
import { accountColumns } from './find-users.ts';

const SHOWN = 20;
const MAX_SUSPENSIONS = 100;
/** What is counted is counted so far. */
const MAX_COUNTED = 10_000;

/** All that an administrator is told of an account; undefined for one that is unknown or has left. */
export async function readAccountDetail(db: Database, id: string, now: Date) {
  const user = await db
    .selectFrom('users')
    .select([...accountColumns, 'language'])
    .where('id', '=', id)
    .where('left_at', 'is', null)
    .executeTakeFirst();
  if (!user) return undefined;
  const [access, trade, lastActivityAt, suspensions, history] = await Promise.all([
    readAccountAccess(db, id, now),
    readTrade(db, id),
    findLastActivity(db, id),
    findSuspensions(db, id),
    readAccountHistory(db, id),
  ]);
  return { user, ...access, ...trade, lastActivityAt, suspensions, history };
}

async function readTrade(db: Database, id: string) {
  const [byStatus, newest, flags, flagsMade, counts, payments] = await Promise.all([
    countListings(db, id),
    findNewestListings(db, id),
    findFlags(db, id),
    findFlagsMade(db, id),
    countRest(db, id),
    sumPayments(db, id),
  ]);
  return { byStatus, newest, flags, flagsMade, counts, payments };
}

async function countListings(db: Database, id: string): Promise<Record<string, number>> {
  const { rows } = await sql<{ status: string; n: number }>`
    select status, count(*)::int as n from listings where seller_id = ${id} group by status`.execute(db);
  return Object.fromEntries(rows.map(({ status, n }) => [status, n]));
}

/** In each status by the index of sellers, and the newest of those: a seller may have very many listings. */
const ofEachStatus = (id: string, columns: string) => sql`
  unnest(array['draft', 'active', 'paused', 'sold', 'expired', 'flagged', 'deleted', 'suspended']) as s (status)
  cross join lateral (
    select ${sql.raw(columns)} from listings where seller_id = ${id} and listings.status = s.status
    order by sort_at desc, id desc limit ${SHOWN}) as l`;

async function findNewestListings(db: Database, id: string) {
  const { rows } = await sql<{ id: string; slug: string; title: string; status: string; created_at: Date }>`
    select l.id, l.slug, l.title, s.status, l.created_at from ${ofEachStatus(id, 'id, slug, title, created_at')}
    order by l.created_at desc, l.id desc limit ${SHOWN}`.execute(db);
  return rows;
}

async function findFlags(db: Database, id: string) {
  const { rows } = await sql<{
    id: string;
    listing_id: string;
    listing_title: string;
    reason: string;
    description: string | null;
    reporter_id: string;
    reporter_name: string;
    created_at: Date;
  }>`
    select f.id, f.listing_id, l.title as listing_title, f.reason, f.description, f.reporter_id, u.name as reporter_name, f.created_at
    from listings l join flags f on f.listing_id = l.id join users u on u.id = f.reporter_id
    where l.seller_id = ${id} order by f.created_at desc, f.id desc limit ${SHOWN}`.execute(db);
  return rows;
}

async function findFlagsMade(db: Database, id: string) {
  const { rows } = await sql<{
    id: string;
    listing_id: string;
    listing_title: string;
    reason: string;
    description: string | null;
    created_at: Date;
  }>`
    select f.id, f.listing_id, l.title as listing_title, f.reason, f.description, f.created_at
    from flags f join listings l on l.id = f.listing_id
    where f.reporter_id = ${id} order by f.created_at desc, f.id desc limit ${SHOWN}`.execute(db);
  return rows;
}

async function countRest(db: Database, id: string) {
  const upTo = (found: RawBuilder<unknown>) =>
    sql<number>`(select count(*)::int from (select ${found} limit ${MAX_COUNTED}) as found)`;
  const { rows } = await sql<Record<CountName, number>>`select
    ${upTo(sql`from listings l join flags f on f.listing_id = l.id where l.seller_id = ${id}`)} as flags_received,
    ${upTo(sql`from flags where reporter_id = ${id}`)} as flags_made,
    ${upTo(sql`from rentals where owner_id = ${id} and status <> 'deleted'`)} as rentals,
    ${upTo(sql`from bookings where renter_id = ${id}`)} as bookings,
    ${upTo(sql`from conversations where buyer_id = ${id}`)} + ${upTo(sql`from conversations where seller_id = ${id}`)} as conversations,
    ${upTo(sql`from reviews where seller_id = ${id}`)} as reviews_received,
    ${upTo(sql`from reviews where reviewer_id = ${id}`)} as reviews_written,
    ${upTo(sql`from api_keys where user_id = ${id} and revoked_at is null`)} as api_keys,
    ${upTo(sql`from webhooks where user_id = ${id} and active`)} as webhooks,
    ${upTo(sql`from user_blocks where blocked_id = ${id}`)} as blocked_by`.execute(db);
  return rows[0]!;
}

type CountName =
  | 'flags_received'
  | 'flags_made'
  | 'rentals'
  | 'bookings'
  | 'conversations'
  | 'reviews_received'
  | 'reviews_written'
  | 'api_keys'
  | 'webhooks'
  | 'blocked_by';

async function sumPayments(db: Database, id: string) {
  const { rows } = await sql<{ currency: string; count: number; amount_cents: number }>`
    select currency, count(*)::int as count, sum(amount_cents)::bigint as amount_cents from payments
    where user_id = ${id} and status = 'completed' group by currency order by currency`.execute(db);
  return rows;
}

async function findLastActivity(db: Database, id: string): Promise<Date | null> {
  const { rows } = await sql<Record<string, Date | null>>`select
    (select max(last_login_at) from login_networks where user_id = ${id}) as login,
    (select max(last_used_at) from api_keys where user_id = ${id}) as key,
    (select max(last_message_at) from conversations where buyer_id = ${id} and last_message ->> 'sender_id' = ${id}) as bought,
    (select max(last_message_at) from conversations where seller_id = ${id} and last_message ->> 'sender_id' = ${id}) as sold,
    (select max(l.created_at) from ${ofEachStatus(id, 'created_at')}) as listing`.execute(db);
  const known = Object.values(rows[0] ?? {}).filter((at) => at !== null);
  return known.length === 0 ? null : new Date(Math.max(...known.map((at) => at.getTime())));
}

function findSuspensions(db: Database, id: string) {
  return db
    .selectFrom('suspensions')
    .select(['id', 'reason', 'suspended_at', 'suspended_by', 'until', 'ended_at', 'ended_by'])
    .where('user_id', '=', id)
    .orderBy('suspended_at', 'desc')
    .orderBy('id', 'desc')
    .limit(MAX_SUSPENSIONS)
    .execute();
}
