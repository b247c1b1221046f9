-- Up Migration
-- The cell of a grid of tenths of degrees, numbered row by row from the south-west: a circle or a box is a few ranges of cells. Neither
-- function is strict, although both only make sense with all of their arguments: so they become part of the expression that
-- calls them, and an index answers it.
create function place_cell(lat double precision, lng double precision) returns integer
language sql immutable parallel safe as $$
  select least(1799, floor((lat + 90) * 10)::int) * 3600 + least(3599, floor((lng + 180) * 10)::int)
$$;

-- Kilometres along the great circle, on a sphere of the Earth's mean radius. Differences are rounded to a tenth of a
-- millimetre: PostgreSQL refuses to square the tiny ones.
create function distance_km(lat1 double precision, lng1 double precision, lat2 double precision, lng2 double precision)
returns double precision language sql immutable parallel safe as $$
  select 12742.0176 * asin(sqrt(least(1, power(sind(round((lat2 - lat1) * 1e9) / 2e9), 2)
    + cosd(lat1) * cosd(lat2) * power(sind(round((lng2 - lng1) * 1e9) / 2e9), 2))))
$$;

create index listings_places on listings (place_cell(lat, lng))
  include (lat, lng, id, sort_at, category_id, price_amount, country, condition, type, shipping, year, length_m, premium_type, premium_until)
  where status = 'active' and lat is not null and lng is not null;

-- Least recently changed first, for those who keep a copy.
create index listings_changes on listings (updated_at, id)
  include (sort_at, category_id, price_amount, country, condition, type, shipping, year, length_m, premium_type, premium_until)
  where status = 'active';

-- How many active listings there are of every combination of what lists are narrowed by: folded counters plus the deltas
-- of transactions since the last fold.
create table listing_facet_counts (
  category_id text collate "C" not null,
  country text collate "C" not null,
  condition text collate "C" not null,
  type text collate "C" not null,
  shipping boolean not null,
  n integer not null,
  primary key (category_id, country, condition, type, shipping)
);
create table listing_facet_deltas (
  category_id text collate "C" not null,
  country text collate "C" not null,
  condition text collate "C" not null,
  type text collate "C" not null,
  shipping boolean not null,
  n integer not null
);

create or replace function count_listings() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into listing_count_deltas select category_id, status, count(*) from added group by 1, 2;
    insert into listing_facet_deltas
    select category_id, country, condition, type, shipping, count(*) from added where status = 'active' group by 1, 2, 3, 4, 5;
  elsif tg_op = 'DELETE' then
    insert into listing_count_deltas select category_id, status, -count(*) from removed group by 1, 2;
    insert into listing_facet_deltas
    select category_id, country, condition, type, shipping, -count(*) from removed where status = 'active' group by 1, 2, 3, 4, 5;
  else
    insert into listing_count_deltas
    select category_id, status, sum(n) from (
      select category_id, status, 1 as n from added
      union all
      select category_id, status, -1 from removed
    ) as moved group by 1, 2 having sum(n) <> 0;
    insert into listing_facet_deltas
    select category_id, country, condition, type, shipping, sum(n) from (
      select category_id, country, condition, type, shipping, 1 as n from added where status = 'active'
      union all
      select category_id, country, condition, type, shipping, -1 from removed where status = 'active'
    ) as moved group by 1, 2, 3, 4, 5 having sum(n) <> 0;
  end if;
  return null;
end $$;

-- Nobody writes listings until this commits: creating an index keeps writers out.
insert into listing_facet_counts
select category_id, country, condition, type, shipping, count(*) from listings where status = 'active' group by 1, 2, 3, 4, 5;

-- Folds the deltas in one statement, so that a reader who adds up both sees the same sums before and after.
create function fold_facet_counts() returns bigint language sql as $$
  with taken as (delete from listing_facet_deltas returning *),
  folded as (
    insert into listing_facet_counts as c
    select category_id, country, condition, type, shipping, sum(n) from taken group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
    on conflict (category_id, country, condition, type, shipping) do update set n = c.n + excluded.n
  )
  select count(*) from taken
$$;

-- Last, because it is the one statement that keeps readers out until the transaction ends.
-- Whether the coordinates are those of the city, found by its name, rather than told by whoever wrote the listing.
alter table listings add column geocoded boolean not null default false;
