-- Up Migration

-- The edits of administrators: each row is a whole set of sections that stand in place of those of the marketplace's file. The newest
-- row of a marketplace is in force, the others tell who changed what and when; without a row the file alone is.
create table marketplace_versions (
  version integer generated always as identity primary key,
  marketplace text collate "C" not null,
  edits jsonb not null check (jsonb_typeof(edits) = 'object'),
  -- What it changed: [{section, id, kind, before, after}].
  changes jsonb not null check (jsonb_typeof(changes) = 'array'),
  -- The attributes that it renamed: [{asset_type, from, to}].
  renames jsonb not null default '[]' check (jsonb_typeof(renames) = 'array'),
  -- The version that it returned to; 0 is the file.
  restores integer,
  author_id text collate "C",
  created_at timestamptz not null
);
create index marketplace_versions_newest on marketplace_versions (marketplace, version desc);

-- Which listings a version has moved, and from where, so that undo brings each back.
create table marketplace_moves (
  version integer not null references marketplace_versions (version) on delete cascade,
  listing_id text collate "C" not null references listings (id) on delete cascade,
  from_category text collate "C" not null,
  to_category text collate "C" not null,
  primary key (version, listing_id)
);
create index marketplace_moves_listing on marketplace_moves (listing_id);

-- Down Migration

drop table marketplace_moves;
drop table marketplace_versions;
