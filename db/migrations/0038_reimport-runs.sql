-- Up Migration
-- What a reimport run has changed, or would change when it only looks: each listing field by field, as it was and as it is now.
create table reimport_changes (
  run_id text collate "C" not null references runs on delete cascade,
  listing_id text collate "C" not null,
  fields text[] not null,
  previous jsonb not null,
  next jsonb not null,
  primary key (run_id, listing_id)
);

-- Beside etag and last_modified: by which rules a refresh read the page, and when; the next one asks only for what is new.
alter table listing_sources add column page_rules text collate "C", add column page_read_at timestamptz;

-- Down Migration
