import type { Pool } from 'pg';

/** So many people, in front of whom a console has to stay quick. */
const PEOPLE = 10_000;
/** The digits of their ids: what ULIDs may end in. */
const idOf = (prefix: string, n: string) => `'${prefix}_' || lpad(${n}::text, 26, '0')`;

/**
 * Fills a dataset once with 10,000 people and what an administrator looks at: 20,000 sessions, 100,000 acts of a team, 20,000 payments,
 * 2,000 webhooks with 50 deliveries each, 5,000 reports and 500 suspensions. Reports and payments are of listings of the dataset.
 */
export async function fillPeople(pool: Pool): Promise<void> {
  const { rows } = await pool.query(`select 1 from users where email = 'person-1@crowd.example'`);
  if (rows.length > 0) return;
  console.error(`Adding ${PEOPLE} people …`);
  for (const statement of statements) await pool.query(statement);
  await pool.query('vacuum (analyze)');
}

const at = (n: string, minutes: number) => `now() - ${n} * interval '${minutes} minutes'`;
const user = (n: string) => idOf('usr', `(1 + (${n}) % ${PEOPLE})`);
const listing = `(select array_agg(id) from (select id from listings where status = 'active' order by id limit 5000) as l)`;

const statements = [
  `insert into users (id, email, name, role, verified, disabled_at, created_at, updated_at)
   select ${idOf('usr', 'n')}, 'person-' || n || '@crowd.example', 'Person ' || md5(n::text),
     case when n % 500 = 0 then 'moderator' else 'user' end, n % 7 <> 0, case when n % 20 = 0 then now() end, ${at('n', 50)}, now()
   from generate_series(1, ${PEOPLE}) as n`,
  `insert into sessions (id, user_id, device, network, second_factor, created_at, last_used_at, expires_at)
   select ${idOf('ses', 'n')}, ${user('n')}, 'Firefox, Linux', '203.0.113.0', n % 9 = 0, ${at('n', 5)}, ${at('n', 3)}, now() + interval '30 days'
   from generate_series(1, ${2 * PEOPLE}) as n`,
  `insert into audit_entries (id, actor, action, subject, data, created_at)
   select ${idOf('aud', 'n')}, ${user('500 * (n % 20) - 1')}, (array['approveListing', 'rejectListing', 'suspendUser', 'mergeDedupGroup'])[1 + n % 4],
     ${user('n')}, jsonb_build_object('body', jsonb_build_object('reason', 'The photos are of another boat.')), ${at('(100001 - n)', 1)}
   from generate_series(1, ${10 * PEOPLE}) as n`,
  `insert into payments (id, listing_id, user_id, plan, duration_days, amount_cents, currency, mode, status, created_at, completed_at, listing_title)
   select ${idOf('pay', 'n')}, ls[1 + n % array_length(ls, 1)], ${user('n')}, 'featured', 7, 1900, 'EUR', 'stub',
     (array['completed', 'completed', 'refunded', 'expired'])[1 + n % 4], ${at('n', 25)}, ${at('n', 25)}, 'Boat ' || n
   from generate_series(1, ${2 * PEOPLE}) as n, (select ${listing} as ls) as l`,
  `insert into webhooks (id, user_id, url, events, secret, failing_since, created_at)
   select ${idOf('whk', 'n')}, ${user('n')}, 'https://hooks.example.com/' || n, '{listing.published}', 'x', case when n % 50 = 0 then now() end, ${at('n', 60)}
   from generate_series(1, ${PEOPLE / 5}) as n`,
  `insert into webhook_deliveries (id, webhook_id, event_type, payload, status, attempts, status_code, created_at, delivered_at)
   select ${idOf('whd', 'n')}, ${idOf('whk', `(1 + n % ${PEOPLE / 5})`)}, 'listing.published', '{}', 'delivered', 1, 204, ${at('n', 0.3)}, ${at('n', 0.3)}
   from generate_series(1, ${10 * PEOPLE}) as n`,
  `insert into flags (id, listing_id, reporter_id, reason, description, created_at)
   select ${idOf('flg', 'n')}, ls[1 + n % array_length(ls, 1)], ${user('n')}, 'fraud', 'The photos are of another boat.', ${at('n', 100)}
   from generate_series(1, ${PEOPLE / 2}) as n, (select ${listing} as ls) as l`,
  `insert into suspensions (id, user_id, reason, suspended_at)
   select ${idOf('sus', 'n')}, ${user('20 * n - 1')}, 'Boats that do not exist.', now() from generate_series(1, ${PEOPLE / 20}) as n`,
];
