-- Up Migration

-- Scrapers that read a feed instead of pages, and how they read it.
alter table scrapers add column feed jsonb;
alter table scrapers drop constraint scrapers_kind_check;
alter table scrapers add constraint scrapers_kind_check check (kind in ('http', 'browser', 'feed'));

-- The last feed that was read to its end and believed: what to ask with whether it has changed.
create table feed_states (
  scraper_id text collate "C" primary key references scrapers (id) on delete cascade,
  run_id text collate "C" not null,
  -- The mapping and the address it was read by: another one reads everything anew.
  rules text collate "C" not null,
  etag text,
  last_modified text,
  sha256 text collate "C" not null,
  read_at timestamptz not null
);

-- The items of a feed, by the normal form of their address: the last run that saw each, and as what.
create table feed_items (
  scraper_id text collate "C" not null references scrapers (id) on delete cascade,
  page text collate "C" not null check (char_length(page) <= 2048),
  -- Null for one that could not be read.
  hash bytea,
  run_id text collate "C" not null,
  read_at timestamptz not null,
  primary key (scraper_id, page)
);

-- Whether a page that a run found gone was declared gone by its source, so that no second visit has to confirm it.
alter table run_held add column is_declared boolean not null default false;

-- Down Migration

alter table run_held drop column is_declared;
drop table feed_items;
drop table feed_states;
alter table scrapers drop constraint scrapers_kind_check;
delete from scrapers where kind = 'feed';
alter table scrapers add constraint scrapers_kind_check check (kind in ('http', 'browser'));
alter table scrapers drop column feed;
