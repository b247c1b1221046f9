-- Up Migration

-- The difference hash of the middle of each image, which stays when its borders are trimmed; found by any of its three bands.
create function image_core_bands(core bigint) returns integer[] language sql immutable parallel safe return
  array[(core >> 43 & 2097151)::int, 2097152 + (core >> 22 & 2097151)::int, 4194304 + (core & 4194303)::int];

create table image_cores (
  sha256 text collate "C" primary key references images on delete cascade,
  core bigint not null
);
create index image_cores_bands on image_cores using gin (image_core_bands(core));

-- What speaks for a scam in a listing, as it was checked last; what a moderator has approved counts no more.
create table scam_checks (
  listing_id text collate "C" primary key references listings on delete cascade,
  version integer not null,
  score integer not null,
  evidence jsonb not null,
  cleared text[] not null default '{}',
  held_at timestamptz,
  checked_at timestamptz not null
);

-- How many listings were held, by each signal that counted.
create table scam_hold_counts (
  signal text collate "C" primary key,
  holds bigint not null
);

-- Down Migration

drop table scam_hold_counts;
drop table scam_checks;
drop table image_cores;
drop function image_core_bands(bigint);
