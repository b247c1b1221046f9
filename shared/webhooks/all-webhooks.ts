import { sql } from 'kysely';
import type { Database } from '../../db/client.ts';
import { escapeLike } from '../kit/like.ts';

export type FoundWebhook = {
  id: string;
  url: string;
  events: string[];
  scope: string;
  description: string | null;
  active: boolean;
  owner: { id: string; name: string; email: string };
  created_at: Date;
  last_delivery_at: Date | null;
  failing_since: Date | null;
  last_error: string | null;
  last_status_code: number | null;
  pending: number;
  failed_24h: number;
};
type Filter = { id?: string; q?: string | undefined; state?: 'failing' | 'active' | 'paused' | undefined };

/** One page of everybody's webhooks: what has failed for longest, then what is switched on, each newest first; and how many there are. */
export async function findWebhooks(
  db: Database,
  { id, q = '', state }: Filter,
  { offset, limit, now }: { offset: number; limit: number; now: Date },
): Promise<{ rows: FoundWebhook[]; total: number }> {
  const words = q.trim();
  const pattern = `%${escapeLike(words)}%`;
  const states = {
    failing: sql`w.active and w.failing_since is not null`,
    active: sql`w.active`,
    paused: sql`not w.active`,
  };
  const fits = sql`(${id ?? null}::text is null or w.id = ${id ?? null}) and ${state ? states[state] : sql`true`}
    and (${words} = '' or w.id = ${words} or w.url ilike ${pattern}
      or lower(' ' || u.name || ' ' || u.email || ' ' || u.id) like ${pattern.toLowerCase()})`;
  const page = sql<FoundWebhook>`
    with page as (
      select w.*, jsonb_build_object('id', u.id, 'name', u.name, 'email', u.email) as owner
      from webhooks w join users u on u.id = w.user_id where ${fits}
      order by case when w.active then w.failing_since end nulls last, w.active desc, w.id desc limit ${limit} offset ${offset})
    select w.id, w.url, w.events, w.scope, w.description, w.active, w.owner, w.created_at, w.last_delivery_at, w.failing_since,
      case when d.status <> 'delivered' then d.error end as last_error, d.status_code as last_status_code,
      (select count(*)::int from webhook_deliveries p where p.webhook_id = w.id and p.status = 'pending') as pending,
      (select count(*)::int from webhook_deliveries f where f.webhook_id = w.id and f.status = 'failed'
         and f.created_at > ${now}::timestamptz - interval '1 day') as failed_24h
    from page w left join lateral (
      select status, error, status_code from webhook_deliveries d where d.webhook_id = w.id and d.attempts > 0
      order by created_at desc, id desc limit 1) as d on true
    order by case when w.active then w.failing_since end nulls last, w.active desc, w.id desc`;
  const count = sql<{ total: number }>`
    select count(*)::int as total from webhooks w join users u on u.id = w.user_id where ${fits}`;
  const [{ rows }, { rows: counts }] = await Promise.all([page.execute(db), count.execute(db)]);
  return { rows, total: counts[0]?.total ?? 0 };
}
