-- Up Migration
-- The link in a mail names the subscription by an id and is signed: nothing has to be kept for it.
alter table newsletter_subscribers
  drop column token_hash,
  add column id text collate "C" not null default replace(gen_random_uuid()::text, '-', ''),
  -- How many mails of welcome the address was sent on that day.
  add column welcomed_on date,
  add column welcomes smallint not null default 0;
create unique index newsletter_subscribers_id on newsletter_subscribers (id);
create index newsletter_subscribers_current on newsletter_subscribers (subscribed_at) where unsubscribed_at is null;
create index newsletter_subscribers_ended on newsletter_subscribers (unsubscribed_at) where unsubscribed_at is not null;

-- What front ends have tracked, by day (UTC) and by what it was about: a path, a query, a listing. The key '' is the sum of all.
create table tracked_days (
  day date not null,
  event text not null,
  key text not null,
  n integer not null,
  primary key (day, event, key)
) with (fillfactor = 80);
create index tracked_events_age on tracked_events (created_at);

-- Views of listings by day, as they are counted into listing_views.
create table listing_view_days (
  day date not null,
  listing_id text collate "C" not null,
  views integer not null,
  primary key (day, listing_id)
) with (fillfactor = 80);

create function count_view_days() returns trigger language plpgsql as $$
begin
  insert into listing_view_days as d (day, listing_id, views)
  select (f.hour at time zone 'UTC')::date, f.listing_id, count(*) from fresh f join listings l on l.id = f.listing_id
  group by 1, 2 order by 1, 2
  on conflict (day, listing_id) do update set views = d.views + excluded.views;
  return null;
end $$;
create trigger listing_visits_by_day after insert on listing_visits
  referencing new table as fresh for each statement execute function count_view_days();

-- The settled figures of finished days: the sum of each event under the key '', and the keys that were most frequent.
create table analytics_days (
  day date not null,
  event text not null,
  key text not null,
  n integer not null,
  primary key (event, day, key)
);
create index users_created on users (created_at);

-- Listings that expire by the clock: scraped ones go by what is found on their page.
create index listings_expiring on listings (expires_at, id) where status in ('active', 'paused') and source <> 'scraped';
create index listings_expiring_of_seller on listings (seller_id, expires_at, id) where status in ('active', 'paused') and source <> 'scraped';
create index listings_created on listings (created_at);

-- Down Migration
