-- Up Migration
-- How many texts are in which state, without a look at the texts.
create index listing_rewrites_counts on listing_rewrites (locale, status);

-- What has been told long ago is forgotten.
create index saved_search_matches_told on saved_search_matches (notified_at) where notified_at is not null;

-- Views by day and category: a row or two where listing_view_days has one per listing, of which each is a wide row to look up.
create table category_view_days (
  day date not null,
  category_id text collate "C" not null,
  views integer not null,
  primary key (day, category_id)
) with (fillfactor = 50);
insert into category_view_days
select v.day, l.category_id, sum(v.views) from listing_view_days v join listings l on l.id = v.listing_id group by 1, 2;

create or replace function count_view_days() returns trigger language plpgsql as $$
begin
  insert into listing_view_days as d (day, listing_id, views)
  select (f.hour at time zone 'UTC')::date, f.listing_id, count(*) from fresh f join listings l on l.id = f.listing_id
  group by 1, 2 order by 1, 2
  on conflict (day, listing_id) do update set views = d.views + excluded.views;
  -- Last and in one order: many transactions meet at these rows.
  insert into category_view_days as d (day, category_id, views)
  select (f.hour at time zone 'UTC')::date, l.category_id, count(*) from fresh f join listings l on l.id = f.listing_id
  group by 1, 2 order by 1, 2
  on conflict (day, category_id) do update set views = d.views + excluded.views;
  return null;
end $$;

-- Down Migration
