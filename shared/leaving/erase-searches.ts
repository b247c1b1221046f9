import { sql } from 'kysely';
import type { Erased, EraseStep } from './erase-step.ts';
import { hasTrace, tracesOf } from './traces.ts';

/** Searches that were made more often in a day are other people's as well: they tell of nobody. */
const MAX_OWN_SEARCHES = 20;
const WINDOW = 20_000;

/**
 * Forgets the searches that tell of the account, day by day: those with words that only its listings had, whoever made them, and
 * rare ones that are its saved searches, its titles or its name. None of them is suggested any more; the search index follows when
 * it next takes over the frequent searches.
 */
export async function eraseSearches(step: EraseStep): Promise<Erased> {
  const { tx, userId, after } = step;
  const { rows: days } = await sql<{ day: string | null }>`
    select min(day) as day from search_queries where day > ${after || '0001-01-01'}::date`.execute(tx);
  const day = days[0]?.day ?? null;
  if (day === null) return eraseSearchFigures(step);
  const { rows } = await sql<{ query: string }>`
    delete from search_queries where day = ${day}::date and (
      (searches <= ${MAX_OWN_SEARCHES} and md5(query) in ${tracesOf(userId, 'query')}) or ${hasTrace(userId, 'word', sql`query`)})
    returning query`.execute(tx);
  const queries = rows.map(({ query }) => query);
  await sql`delete from suggestion_terms t where query = any(${queries}::text[])
    and not exists (select from search_queries s where s.query = t.query)`.execute(tx);
  await sql`delete from suggestion_heads where kind = 'terms' and subjects && ${queries}::text[]`.execute(tx);
  return { erased: queries.length, next: day };
}

/** The same in what is suggested and counted by day without having been searched here. */
async function eraseSearchFigures({ tx, userId }: EraseStep): Promise<Erased> {
  await sql`delete from suggestion_terms where ${hasTrace(userId, 'word', sql`query`)}`.execute(tx);
  for (const table of ['tracked_days', 'analytics_days']) {
    await sql`delete from ${sql.table(table)} where event = 'search' and key <> '' and (
      (n <= ${MAX_OWN_SEARCHES} and md5(key) in ${tracesOf(userId, 'query')}) or ${hasTrace(userId, 'word', sql`key`)})`.execute(
      tx,
    );
    await sql`delete from ${sql.table(table)} where event = 'page_view' and key <> '' and ${hasTrace(userId, 'slug', sql`key`)}`.execute(
      tx,
    );
  }
  return { erased: 0 };
}

/** Deletes what others have reported of visits of the pages of the account, and of searches for words that only it had, some thousand rows at a time. */
export async function eraseVisits({ tx, userId, after }: EraseStep): Promise<Erased> {
  const from = Number(after || '0');
  const { rows } = await sql<{ upto: number | null }>`
    select max(id) as upto from (select id from tracked_events where id > ${from} order by id limit ${WINDOW}) as next`.execute(
    tx,
  );
  const upto = rows[0]?.upto ?? null;
  if (upto === null) return { erased: 0 };
  const { numAffectedRows = 0n } = await sql`
    delete from tracked_events where id > ${from} and id <= ${upto} and (
      ${hasTrace(userId, 'slug', sql`concat_ws('/', path, referrer)`)} or ${hasTrace(userId, 'word', sql`coalesce(query, '')`)})`.execute(
    tx,
  );
  return { erased: Number(numAffectedRows), next: String(upto) };
}
