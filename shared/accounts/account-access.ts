import { sql } from 'kysely';
import type { Database } from '../../db/client.ts';
import { findOpenSessions } from './sessions.ts';

const MAX_KEYS = 100;
const MAX_EVENTS = 50;

/** How an account can be opened now: second factors, open sessions, and API keys by their names. */
export async function readAccountAccess(db: Database, id: string, now: Date) {
  const [secondFactors, sessions, apiKeys] = await Promise.all([
    sql<{ app: boolean; passkeys: number }>`select
      exists (select from totp_secrets where user_id = ${id} and confirmed_at is not null) as app,
      (select count(*)::int from passkeys where user_id = ${id}) as passkeys`.execute(db),
    findOpenSessions(db, id, now),
    db
      .selectFrom('api_keys')
      .select(['id', 'label', 'key_prefix', 'permissions', 'created_at', 'last_used_at', 'expires_at'])
      .where('user_id', '=', id)
      .where('revoked_at', 'is', null)
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(MAX_KEYS)
      .execute(),
  ]);
  return { secondFactors: secondFactors.rows[0]!, sessions, apiKeys };
}

export type AccountEvent = {
  seq: number;
  type: string;
  subject: string;
  title: string | null;
  at: Date;
  actor: { id: string; name: string } | null;
};

/** What the journal has of an account and of what is its own, the newest first: each by its index, and the newest of those. */
export async function readAccountHistory(db: Database, id: string): Promise<AccountEvent[]> {
  const { rows } = await sql<AccountEvent>`
    select e.seq, e.type, e.subject, l.title, e.created_at as at,
      case when u.id is not null then jsonb_build_object('id', u.id, 'name', u.name) end as actor
    from (
      (select seq, type, subject, created_at, actor_id from events where subject = ${id} order by seq desc limit ${MAX_EVENTS})
      union all
      (select seq, type, subject, created_at, actor_id from events where owner_id = ${id} order by xid desc, seq desc limit ${MAX_EVENTS})
    ) as e left join listings l on l.id = e.subject left join users u on u.id = e.actor_id
    order by e.seq desc limit ${MAX_EVENTS}`.execute(db);
  return rows.map((row) => ({ ...row, seq: Number(row.seq) }));
}
