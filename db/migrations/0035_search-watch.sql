-- Up Migration
-- What becomes of a search beside its count: as it was typed last and when, how often it found nothing, and how long it took.
-- `durations` counts its answers by how long they took: class n up to the square root of two to the power of n - 1, in milliseconds.
alter table search_queries
  add column typed text,
  add column asked_at timestamptz,
  add column misses integer not null default 0,
  add column slowest_ms integer,
  add column durations integer[] not null default '{}';
create index search_queries_misses on search_queries (day) include (query, misses) where misses > 0;
create index search_queries_slowest on search_queries (day) include (query, slowest_ms) where slowest_ms >= 100;

-- Two lists of counts added up, class by class.
create function add_counts(one integer[], other integer[]) returns integer[] language sql immutable strict parallel safe as $$
  select coalesce(array_agg(coalesce(a, 0) + coalesce(b, 0) order by n), '{}') from unnest(one, other) with ordinality as t (a, b, n)
$$;

-- Down Migration
drop function add_counts(integer[], integer[]);
alter table search_queries
  drop column typed,
  drop column asked_at,
  drop column misses,
  drop column slowest_ms,
  drop column durations;
