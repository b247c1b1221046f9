-- Up Migration
-- Rewritten texts, those touched last first: of all, and of a locale.
create index listing_rewrites_touched on listing_rewrites (updated_at);
create index listing_rewrites_locale_touched on listing_rewrites (locale, updated_at);

-- Figures that take long to count, as they were counted last: every process tells the same ones, the first time it is asked, too.
create unlogged table kept_figures (
  name text primary key,
  figures jsonb not null,
  counted_at timestamptz not null,
  took_ms integer not null
);

-- Down Migration
