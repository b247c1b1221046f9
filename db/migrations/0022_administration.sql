-- Up Migration
-- Which reminders have gone out: one of each kind (7 days, 1 day) for every date on which a listing expires.
create table listing_reminders (
  listing_id text collate "C" not null references listings on delete cascade,
  expires_at timestamptz not null,
  days smallint not null,
  reminded_at timestamptz not null,
  primary key (listing_id, expires_at, days)
);
create index listing_reminders_age on listing_reminders (expires_at);

-- Scraped listings expire when nobody has seen their page for long.
create index listing_sources_seen on listing_sources ((greatest(scraped_at, last_verified_at)));

-- Ids are in the order of creation.
create index listings_without_images on listings (id desc) include (status, source) where images = '[]' and status <> 'deleted';

create index listing_images_failed on listing_images (listing_id) where status = 'failed';

-- A job tells the progress of the run that it works on.
create index runs_job on runs (job_id) where job_id is not null;

-- What figures are counted from, so that none of them reads a wide row.
drop index listings_created;
create index listings_created on listings (created_at) include (category_id, status, source);
create index listings_sold on listings (sold_at) include (category_id, sort_at) where status = 'sold';

create index conversations_created on conversations (created_at) include (listing_id);

-- The last requests that each API process has answered.
create unlogged table recent_requests (
  process_id text primary key,
  requests jsonb not null,
  updated_at timestamptz not null
);

-- Down Migration
