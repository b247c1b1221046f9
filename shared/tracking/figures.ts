import type { Pool } from 'pg';
import { addMilliseconds, DAY_MS, dayOf } from '../kit/clock.ts';
import { eventNames, type EventName } from './tracked-event.ts';

/** So many of the most frequent paths, queries and listings of a day are kept once it is settled. */
const KEPT_KEYS = 200;
const TOP = 10;

const startOf = (day: string) => `((${day})::timestamp at time zone 'UTC')`;
const during = (column: string) => `${column} >= ${startOf('day')} and ${column} < ${startOf('day + 1')}`;

/**
 * The figures (event, day, key, n) of the days $1, from their sources: the sum of each event under the key ''. Signups and new
 * listings are rows of ours, whatever is tracked. Searches and views that the service has counted itself may have been tracked
 * as well: of the two counts of one query, or one listing, the larger is taken.
 */
const figures = `days as (
    select unnest($1::date[]) as day),
  seen as (
    select event, day, key, n as tracked, 0 as own from tracked_days where day = any($1::date[]) and key <> ''
    union all
    select 'search', day, query, 0, searches from search_queries where day = any($1::date[])
    union all
    select 'listing_view', day, listing_id, 0, views from listing_view_days where day = any($1::date[])),
  keyed as (
    select event, day, key, greatest(sum(tracked), sum(own)) as n from seen group by event, day, key),
  unkeyed as (
    select event, day, sum(case when key = '' then n else -n end) as n from tracked_days
    where day = any($1::date[]) and event in ('page_view', 'search', 'listing_view') group by event, day),
  sums as (
    select event, day, sum(n) as n from (
      select event, day, n from keyed
      union all
      select event, day, n from unkeyed
      union all
      select event, day, 0 from days cross join (values ('page_view'), ('search'), ('listing_view')) as e (event)) as parts
    group by event, day),
  figures as (
    select event, day, key, n from keyed
    union all
    select event, day, '', n from sums
    union all
    select 'signup', day, '', (select count(*) from users where ${during('created_at')}) from days
    union all
    select 'listing_created', day, '', (select count(*) from listings where ${during('created_at')}) from days)`;

export type Count = { name: string; count: number };
export type Figures = { byDay: Map<string, number>; top: Count[] };

const NONE: Figures = { byDay: new Map(), top: [] };

/** The figures of each event on the last `days` days, today included: those of settled days as they are kept, the others counted now. */
export async function readFigures(pool: Pool, days: number, now: Date): Promise<(event: EventName) => Figures> {
  const first = dayOf(addMilliseconds(now, -(days - 1) * DAY_MS));
  const open = await findUnsettledDays(pool, first, dayOf(addMilliseconds(now, DAY_MS)));
  const { rows } = await pool.query<{ event: EventName; day: string | null; key: string; n: number }>({
    name: 'analytics',
    text: `with ${figures},
      all_figures as (
        select event, day, key, n from figures
        union all
        select event, day, key, n from analytics_days
        where event = any($4::text[]) and day >= $2::date and day <= $3::date and day <> all($1::date[])),
      ranked as (
        select event, key, sum(n) as n, row_number() over (partition by event order by sum(n) desc, key collate "C") as rank
        from all_figures where key <> '' group by event, key)
      select event, day, key, n from all_figures where key = ''
      union all
      (select event, null, key, n from ranked where rank <= ${TOP} order by event, rank)`,
    values: [open, first, dayOf(now), eventNames],
  });
  const found = new Map<EventName, Figures>();
  for (const { event, day, key, n } of rows) {
    const entry = found.get(event) ?? { byDay: new Map<string, number>(), top: [] };
    found.set(event, entry);
    if (day === null) entry.top.push({ name: key, count: n });
    else entry.byDay.set(day, n);
  }
  return (event) => found.get(event) ?? NONE;
}

/** The days from one on, and before another, that are not settled yet and on which something may have happened. */
export async function findUnsettledDays(pool: Pool, from: string, before: string): Promise<string[]> {
  const { rows } = await pool.query<{ day: string }>({
    name: 'analytics-open-days',
    text: `with first as (
        select least(
          (select (min(created_at) at time zone 'UTC')::date from users), (select (min(created_at) at time zone 'UTC')::date from listings),
          (select min(day) from tracked_days), (select min(day) from search_queries)) as day),
      days as (
        select $1::date + later as day from generate_series(0, $2::date - $1::date - 1) as later)
      select day from days
      where day >= (select day from first)
        and not exists (select from analytics_days a where a.event = 'page_view' and a.day = days.day and a.key = '')
      order by day`,
    values: [from, before],
  });
  return rows.map(({ day }) => day);
}

/** Settles a day: its figures stay from now on, whatever becomes of their sources. One that is settled is left as it is. */
export async function settleDay(pool: Pool, day: string): Promise<void> {
  await pool.query(
    `with ${figures}
     insert into analytics_days (event, day, key, n)
     select event, day, key, n from (
       select *, row_number() over (partition by event order by key = '' desc, n desc, key collate "C") as rank from figures) as ranked
     where rank <= ${KEPT_KEYS} + 1
     on conflict do nothing`,
    [[day]],
  );
}
