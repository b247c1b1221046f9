-- Up Migration

-- A run of kind `learn` looks at some pages of one site and proposes a scraper. `scraper_id` names the scraper that it is to
-- replace the settings of, when it learns a site again.
create table site_learnings (
  run_id text collate "C" primary key references runs (id) on delete cascade,
  url text not null,
  scraper_id text collate "C" references scrapers (id) on delete cascade,
  proposal jsonb
);
create index site_learnings_scraper on site_learnings (scraper_id) where scraper_id is not null;

-- The pages it has looked at, in their order: the page itself (gzip), what of it is shown, or why it could not be had.
create table site_learning_pages (
  run_id text collate "C" not null references site_learnings (run_id) on delete cascade,
  position integer not null check (position >= 0),
  url text not null,
  html bytea,
  is_rendered boolean not null default false,
  outline jsonb,
  problem text,
  primary key (run_id, position),
  check ((html is null) <> (problem is null))
);

-- Down Migration

drop table site_learning_pages;
drop table site_learnings;
