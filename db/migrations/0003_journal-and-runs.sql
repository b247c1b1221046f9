-- Up Migration
-- The append-only journal, written in the transaction of the change. Readers follow (xid, seq): every event of a
-- transaction older than the oldest one still running is final, so nothing is ever missed or seen twice.
create table events (
  seq bigint generated always as identity primary key,
  xid xid8 not null default pg_current_xact_id(),
  type text not null,
  subject text collate "C" not null,
  owner_id text collate "C",
  data jsonb not null,
  previous jsonb,
  created_at timestamptz not null
);
create unique index events_order on events (xid, seq);
create index events_owner on events (owner_id, xid, seq);
create index events_age on events (created_at);

create function announce_events() returns trigger language plpgsql as $$
begin
  perform pg_notify('quayside_events', '');
  return null;
end $$;
create trigger events_announced after insert on events for each statement execute function announce_events();

-- Exact minute windows over all processes; losing them in a crash only forgives.
create unlogged table rate_windows (
  bucket text collate "C" not null,
  window_start timestamptz not null,
  used integer not null,
  primary key (bucket, window_start)
);
create index rate_windows_age on rate_windows (window_start);

-- Hourly and daily quotas: used in the transaction of what they count, so a failure uses nothing.
create table quota_uses (
  quota text not null,
  subject text collate "C" not null,
  window_start timestamptz not null,
  used integer not null,
  primary key (quota, subject, window_start)
);
create index quota_uses_age on quota_uses (window_start);

create table idempotency_keys (
  caller text collate "C" not null,
  key text collate "C" not null,
  operation text not null,
  fingerprint bytea not null,
  status smallint,
  headers jsonb,
  body bytea,
  created_at timestamptz not null,
  locked_until timestamptz not null,
  primary key (caller, key)
);
create index idempotency_keys_age on idempotency_keys (created_at);

-- Long work (crawls, scans, migrations): progress and stop are columns, one live run per kind and subject.
create table runs (
  id text collate "C" primary key,
  kind text not null,
  -- What the run is about: a scraper's id; empty where a kind has one run at a time.
  subject text collate "C" not null default '',
  trigger text not null default 'manual' check (trigger in ('manual', 'schedule')),
  status text not null default 'queued' check (status in ('queued', 'running', 'succeeded', 'failed', 'cancelled')),
  stop_requested_at timestamptz,
  params jsonb not null default '{}',
  cursor jsonb,
  total integer,
  counters jsonb not null default '{}',
  errors jsonb not null default '[]',
  paused_reason text,
  error text,
  job_id uuid,
  started_by text collate "C",
  created_at timestamptz not null,
  started_at timestamptz,
  updated_at timestamptz not null,
  finished_at timestamptz
);
create unique index runs_one_live on runs (kind, subject) where status in ('queued', 'running');
create index runs_history on runs (kind, subject, created_at desc, id desc);
create index runs_recent on runs (kind, created_at desc, id desc);

create view scraper_runs as
  select id, subject as scraper_id, trigger, status, started_at, finished_at, counters, errors, error, created_at, updated_at
  from runs where kind = 'scraper';

create table scrapers (
  id text collate "C" primary key,
  name text not null,
  site text not null,
  kind text not null check (kind in ('http', 'browser')),
  start_urls text[] not null,
  link_pattern text,
  pagination_pattern text,
  extract jsonb not null,
  category_id text collate "C" references categories,
  schedule text,
  max_pages integer not null,
  requests_per_minute integer not null,
  respect_robots boolean not null default true,
  auto_publish boolean not null default false,
  require_images boolean not null default false,
  enabled boolean not null default true,
  owner_id text collate "C" not null references users,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create table crawl_hosts (
  host text collate "C" primary key,
  next_request_at timestamptz not null,
  backoff_until timestamptz,
  robots text,
  robots_fetched_at timestamptz
);

-- One row per message handed to the mail server: a retry after an unclear answer finds it.
create table sent_emails (
  message_id text collate "C" primary key,
  template text not null,
  subject_id text collate "C",
  sent_at timestamptz
);

-- Queues that an admin has paused: workers take nothing new from them.
create table paused_queues (
  name text primary key,
  paused_by text collate "C",
  paused_at timestamptz not null
);

-- The latest metrics of every process, so that one scrape of any API process shows the whole fleet.
create unlogged table process_metrics (
  process_id text primary key,
  process text not null,
  metrics jsonb not null,
  updated_at timestamptz not null
);

-- Down Migration
