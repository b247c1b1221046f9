-- Up Migration
-- Drafts that somebody has asked for from pictures; the id is that of the job which makes it.
create table ai_drafts (
  id uuid primary key,
  user_id text collate "C" not null references users on delete cascade,
  status text not null default 'pending' check (status in ('pending', 'completed', 'failed')),
  images text[] not null,
  locale text not null,
  mode text check (mode in ('openai', 'stub')),
  result jsonb,
  error jsonb,
  created_at timestamptz not null,
  finished_at timestamptz
);
create index ai_drafts_pending on ai_drafts (user_id, created_at) where status = 'pending';
create index ai_drafts_age on ai_drafts (created_at);

-- source_hash names the source that the texts of a row were made from, tried_hash that of the last try, whatever came of it:
-- texts are shown while newer ones are being made.
alter table listing_rewrites add column long_description text;
alter table listing_rewrites add column tried_hash bytea;

-- Down Migration
