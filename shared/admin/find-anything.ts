import { sql } from 'kysely';
import type { Database } from '../../db/client.ts';
import { escapeLike } from '../kit/like.ts';

export type FoundThing = {
  kind: 'user' | 'scraper' | 'payment' | 'webhook' | 'run' | 'duplicates';
  id: string;
  title: string;
  note: string;
};

/** Of each kind so many at most. */
const MAX_EACH = 6;

/**
 * Accounts, scrapers, payments, webhooks, runs and groups of duplicates with that id, or with that in what they are called; the
 * webhook of a delivery with that id.
 */
export async function findThings(db: Database, q: string): Promise<FoundThing[]> {
  const words = q.trim();
  const lower = words.toLowerCase();
  const pattern = `%${escapeLike(words)}%`;
  const { rows } = await sql<FoundThing>`
    (select 'user' as kind, id, name as title, email as note from users where left_at is null and (id = ${words} or email = ${lower}) limit 1)
    union all
    (select 'user', id, name, email from users
      where lower(' ' || name || ' ' || email || ' ' || id) like ${pattern.toLowerCase()} and left_at is null
        and id <> ${words} and email <> ${lower} limit ${MAX_EACH})
    union all
    (select 'scraper', id, name, site from scrapers where id = ${words} or name ilike ${pattern} or site ilike ${pattern}
      order by name limit ${MAX_EACH})
    union all
    (select 'payment', id, listing_title, status from payments where id = ${words} or session_id = ${words} or payment_intent = ${words}
      limit ${MAX_EACH})
    union all
    (select 'webhook', id, url, case when not active then 'switched off' when failing_since is null then 'works' else 'fails' end
      from webhooks where id = ${words} or url ilike ${pattern}
        or id = (select webhook_id from webhook_deliveries where id = ${words}) order by id desc limit ${MAX_EACH})
    union all
    (select 'run', r.id, r.kind || coalesce(' ' || s.name, ''), r.status from runs r left join scrapers s on s.id = r.subject
      where r.id = ${words})
    union all
    (select 'duplicates', id, 'Group of duplicates', status from dedup_groups where id = ${words})`.execute(db);
  return rows;
}
