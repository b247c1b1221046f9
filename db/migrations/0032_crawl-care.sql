-- Up Migration
-- What a crawl has found, for comparison with other runs of its scraper: how many records, and how many of them have each
-- field. A run whose findings are odd is in quarantine until an admin accepts it.
create table run_findings (
  run_id text collate "C" primary key references runs on delete cascade,
  counts jsonb not null default '{}',
  quarantine_reasons text[],
  quarantined_at timestamptz,
  accepted_at timestamptz,
  accepted_by text collate "C"
);

-- What a run found and has not let go on its way yet: records, and pages that are gone.
create table run_held (
  seq bigint generated always as identity primary key,
  run_id text collate "C" not null references runs on delete cascade,
  record jsonb,
  gone_url text,
  check ((record is null) <> (gone_url is null))
);
create index run_held_run on run_held (run_id, seq);

-- Pages that held one record each, as a scraper saw them last: what is needed to ask whether they have changed since.
create table crawl_pages (
  scraper_id text collate "C" not null references scrapers on delete cascade,
  page text collate "C" not null check (char_length(page) <= 2048),
  record text collate "C" not null check (char_length(record) <= 2048),
  etag text,
  last_modified text,
  rules text collate "C" not null,
  read_at timestamptz not null,
  -- Where it leads, for crawls that find it unchanged.
  links text[] not null,
  primary key (scraper_id, page)
);

-- The visits under way at a host, by all processes: a token and when it lapses if nobody ends it.
alter table crawl_hosts add column visits jsonb not null default '{}';

-- Down Migration
