import { sql, type RawBuilder } from 'kysely';
import type { Erased, EraseStep } from './erase-step.ts';

/**
 * Notes what tells the data of an account in places that do not name it: the ids and slugs of what it owns, and what it has
 * looked for under its own name; of all but the ids a digest. Repeated, it adds what has come since.
 */
export async function noteTraces({ tx, userId }: EraseStep): Promise<Erased> {
  await sql`
    with own as (
      select 'id' as kind, id as trace from listings where seller_id = ${userId}
      union select 'slug', slug from listings where seller_id = ${userId}
      union select 'id', id from rentals where owner_id = ${userId}
      union select 'slug', slug from rentals where owner_id = ${userId}
      union select 'id', id from saved_searches where user_id = ${userId}
      union select 'id', id from webhooks where user_id = ${userId}
      union select 'id', id::text from ai_drafts where user_id = ${userId}
      union select 'query', lower(left(query_params->>'q', 500)) from saved_searches where user_id = ${userId}
      union select 'query', query from tracked_events where user_id = ${userId} and event = 'search'
      union select 'query', lower(title) from listings where seller_id = ${userId}
      union select 'query', lower(title) from rentals where owner_id = ${userId})
    insert into account_leaving_traces (user_id, kind, trace)
    select ${userId}, kind, case when kind = 'id' then trace else md5(trace) end from own where trace is not null and trace <> '' on conflict do nothing`.execute(
    tx,
  );
  return { erased: 0 };
}

/** Whether a text, or JSON, names anything of an account that has left: one of the ids that are noted of it. */
export const namesTrace = (userId: string, text: RawBuilder<unknown>): RawBuilder<boolean> => sql<boolean>`exists (
  select from regexp_matches((${text})::text, '[a-z]{3,4}_[0-9A-HJKMNP-TV-Z]{26}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}', 'g') as found (id)
  join account_leaving_traces t on t.user_id = ${userId} and t.kind = 'id' and t.trace = found.id[1])`;

/** The traces of one kind, as a list to compare with: digests of all but ids. */
export const tracesOf = (userId: string, kind: 'id' | 'slug' | 'query' | 'word'): RawBuilder<string> =>
  sql<string>`(select trace from account_leaving_traces where user_id = ${userId} and kind = ${kind})`;

/** Whether any of the parts that a pattern splits a text into is a trace of that kind. */
export const hasTrace = (userId: string, kind: 'slug' | 'word', text: RawBuilder<unknown>): RawBuilder<boolean> => {
  const separators = kind === 'slug' ? '[/.?#]' : '[^[:alnum:]]+';
  return sql<boolean>`array(select md5(part) from regexp_split_to_table(lower(unaccent(${text})), ${sql.lit(separators)}) as part)
    && array${tracesOf(userId, kind)}`;
};
